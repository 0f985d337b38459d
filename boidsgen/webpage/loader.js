/** The first script of a page: unpacks the script of the page itself, which the policy allows by its hash. */

try {
  const packed = atob(document.getElementById("packed")?.textContent ?? "");
  const { body } = new Response(Uint8Array.from(packed, (letter) => letter.charCodeAt(0)));
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = await new Response(body?.pipeThrough(new DecompressionStream("gzip"))).text();
  document.head.append(script);
} catch (error) {
  document.body.classList.add("failed");
  const why = /** @type {Error} */ (error).message;
  const said = `This page cannot run here: ${why}. It needs a browser of 2023 or later, and the whole file.`;
  document.getElementById("error")?.append(said);
}

export {};
