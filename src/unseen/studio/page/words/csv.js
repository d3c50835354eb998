// Tables as text: written for spreadsheets, and read from what is pasted or dropped.

/** Write rows of cells as CSV. */
export function writeCsv(rows) {
  const cell = (value) => {
    const text = String(value ?? "");
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(",") + "\n").join("");
}

/** Read CSV, or cells separated by tabs or semicolons, into rows of text. */
export function readCells(text) {
  const lines = text.replace(/^\uFEFF/, "");
  const first = lines.split(/\r?\n/, 1)[0];
  const separator = ["\t", ";", ","].find((mark) => first.includes(mark)) ?? ",";
  const rows = [[""]];
  let quoted = false;
  for (let i = 0; i < lines.length; i++) {
    const letter = lines[i];
    const row = rows.at(-1);
    if (quoted && letter === '"' && lines[i + 1] === '"') (row[row.length - 1] += '"'), i++;
    else if (letter === '"' && (quoted || row.at(-1) === "")) quoted = !quoted;
    else if (!quoted && letter === separator) row.push("");
    else if (!quoted && letter === "\n") rows.push([""]);
    else if (letter !== "\r" || quoted) row[row.length - 1] += letter;
  }
  return rows.map((row) => row.map((cell) => cell.trim())).filter((row) => row.some((cell) => cell !== ""));
}

/** Read a number as people write it, "45%" among them, or NaN. */
export function readNumber(cell) {
  const text = cell.replace(/%$/, "").trim();
  const value = text === "" ? NaN : Number(/^[-+]?\d+,\d+$/.test(text) ? text.replace(",", ".") : text);
  return cell.trim().endsWith("%") ? value / 100 : value;
}
