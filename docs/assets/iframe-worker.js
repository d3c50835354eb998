// Browsers start no worker from a file, so that search would need a server. When a page is opened as a file, a hidden frame
// does the work of a worker: it loads the same script, and messages are passed on to and fro.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...urls) => Promise.all(urls.map((each) => load(inside.document, each)));
      load(inside.document, url).then(() => {
        this.pass = (data) => inside.dispatchEvent(new inside.MessageEvent("message", { data }));
        this.waiting.splice(0).forEach(this.pass);
      });
    }

    postMessage(data) {
      this.pass ? this.pass(data) : this.waiting.push(data);
    }
  };

  const load = (page, url) =>
    new Promise((done, failed) => {
      const script = page.createElement("script");
      Object.assign(script, { src: url, onload: done, onerror: failed });
      page.body.append(script);
    });
}
