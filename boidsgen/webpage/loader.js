/** The first script of a page: unpacks the script of the page itself, which the policy allows by its hash. */

const packed = atob(document.getElementById("packed")?.textContent ?? "");
const { body } = new Response(Uint8Array.from(packed, (letter) => letter.charCodeAt(0)));
const script = document.createElement("script");
script.type = "module";
script.textContent = await new Response(body?.pipeThrough(new DecompressionStream("gzip"))).text();
document.head.append(script);

export {};
