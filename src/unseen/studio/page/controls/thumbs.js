// A few small pictures in a row, to choose one.

import { fillList, h, set } from "./dom.js";

export function makeThumbs(app, most) {
  const root = h("div.thumbs");
  const showPictures = (pictures) => {
    const few = pictures.slice(0, most);
    fillList(root, few.length, () => h("button.small-thumb", { type: "button", onclick: ({ currentTarget }) => app.look({ picture: Number(currentTarget.dataset.picture) }) }), (button, at) => {
      const picture = few[at];
      const verdict = app.judge(picture);
      const key = `${picture} ${verdict}`;
      if (button.key === key) return;
      button.key = key;
      button.dataset.picture = picture;
      button.dataset.verdict = verdict;
      const address = app.rows.pictures?.[picture];
      button.replaceChildren(address ? h("img", { src: address, alt: "" }) : h("span", {}, app.rows.names[picture]));
      set(button, { "aria-label": `Show ${app.rows.names[picture]}, ${verdict}` });
    });
  };
  return { root, show: showPictures };
}
