// What only a server can do; a page that was opened from a file has none.

export class Server {
  constructor(announced) {
    this.announced = announced;
  }

  /** Whether the server offers a function. */
  has(name) {
    return Boolean(this.announced?.functions.includes(name));
  }

  /** Ask with plain values; return plain values. */
  async ask(name, body) {
    const answer = await this.send(name, JSON.stringify(body), { "Content-Type": "application/json" });
    return answer.json();
  }

  /** Ask with any body; return the response, or throw an error with the sentence that the server gave. */
  async send(name, body, headers) {
    const { base, token } = this.announced;
    const authorised = token ? { ...headers, Authorization: `Bearer ${token}` } : headers;
    let answer;
    try {
      answer = await fetch(`${base}/${name}`, { method: "POST", body, headers: authorised });
    } catch {
      throw new Error("The server does not answer: is it still running?");
    }
    if (answer.ok) return answer;
    const said = await answer.json().catch(() => null);
    throw new Error(said?.error?.message ?? `The server refused (${answer.status}).`);
  }
}
