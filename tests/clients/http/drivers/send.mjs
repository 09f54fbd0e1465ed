// Sends bodies by Node's own clients: `send.mjs <request|fetch|http2>`, requests on standard input, what came of each on
// standard output: a status, or what was thrown. `request` is the module http or https, as the address has it.
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import { Readable } from "node:stream";
import { readFileSync } from "node:fs";

const PIECE = 65536;

function* pieces(size) {
  for (let start = 0; start < size; start += PIECE) yield Buffer.alloc(Math.min(PIECE, size - start));
}

function byRequest(asked) {
  return new Promise((resolve, reject) => {
    const module = asked.url.startsWith("https") ? https : http;
    const headers = { ...asked.headers };
    if (!asked.chunked) headers["Content-Length"] = asked.size;
    if (asked.expect) headers["Expect"] = "100-continue";
    const request = module.request(asked.url, { method: asked.method, headers, agent: new module.Agent() }, (response) => {
      response.on("error", reject);
      response.on("end", () => { resolve(response.statusCode); request.destroy(); });
      response.resume();
    });
    request.on("error", reject);
    const send = () => { for (const piece of pieces(asked.size)) request.write(piece); request.end(); };
    if (asked.expect) { request.on("continue", send); request.flushHeaders(); } else send();
  });
}

async function byFetch(asked) {
  const body = asked.chunked ? ReadableStream.from(pieces(asked.size)) : Buffer.alloc(asked.size);
  const response = await fetch(asked.url, { method: asked.method, headers: asked.headers, body, duplex: "half" });
  await response.arrayBuffer();
  return response.status;
}

function byHttp2(asked) {
  return new Promise((resolve, reject) => {
    const url = new URL(asked.url);
    const session = http2.connect(url.origin);
    session.on("error", reject);
    const headers = { ":method": asked.method, ":path": url.pathname + url.search, ...asked.headers };
    if (!asked.chunked) headers["content-length"] = asked.size;
    const stream = session.request(headers);
    let status;
    stream.on("response", (said) => { status = said[":status"]; });
    stream.on("error", reject);
    stream.on("end", () => { resolve(status); session.destroy(); });
    stream.resume();
    Readable.from(pieces(asked.size)).pipe(stream);
  });
}

const given = JSON.parse(readFileSync(0, "utf8"));
const send = { request: byRequest, fetch: byFetch, http2: byHttp2 }[process.argv[2]];
const came = [];
for (const asked of given.requests) {
  try {
    came.push(await send(asked));
  } catch (error) {
    came.push(`${error} ${error.cause ?? ""}`.slice(0, 300));
  }
}
console.log(JSON.stringify(came));
process.exit(0);
