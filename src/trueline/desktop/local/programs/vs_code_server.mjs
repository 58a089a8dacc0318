// The server behind the windows of Visual Studio Code's web build.
//
// Arguments: the folder of code-server, the folder of the user's data, that of the extensions, the port it answers at.
// the path of the socket for the `code` command, and two descriptors that listen already, at that port and at that
// socket, so that a window can be opened before this program is up. `code` asks for the sessions: windows that can be
// told to open files.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { pathToFileURL } from "node:url";

const [code, data, extensions, port, control, pagesFd, controlFd] = process.argv.slice(2);
const NAME = "Visual Studio Code";
const KEYS = readFileSync(new URL("vs_code_keys.js", import.meta.url));
const KEYS_PATH = "/vs_code_keys.js";
const defaults = JSON.parse(readFileSync(new URL("vs_code_defaults.json", import.meta.url), "utf8"));
const LATEST_FIRST = (a, b) => b.number - a.number;

// The editor's own main program must not start, and each window's extension host tells where it listens.
process.env.CODE_SERVER_PARENT_PID = String(process.pid);
process.env.CODE_SERVER_SESSION_SOCKET = control;

async function load() {
  const { loadCodeWithNls } = await import(pathToFileURL(`${code}/lib/vscode/out/server-main.js`).href);
  const { createServer: create } = await loadCodeWithNls();
  return create(null, {
    _: [], host: "127.0.0.1", port, auth: "none", "app-name": NAME, compatibility: "1.64",
    "user-data-dir": data, "server-data-dir": data, "extensions-dir": extensions,
    "accept-server-license-terms": true, "without-connection-token": true, "disable-telemetry": true,
    "disable-update-check": true, "disable-workspace-trust": true, "reconnection-grace-time": "30",
  });
}
const editor = load();
editor.catch((error) => {
  console.error(error);
  process.exit(1);
});

const SETTINGS = /(<meta id="vscode-workbench-web-configuration" data-settings=")([^"]*)"/;
const ENTITIES = { "&quot;": '"', "&lt;": "<", "&gt;": ">", "&#39;": "'", "&amp;": "&" };

// The page carries its configuration in an attribute: ours is merged into it.
function configured(page) {
  // Until the editor gives the window its title, that is neither its address nor what says that it is ready.
  const head = `<head><title>Code</title><script src="${KEYS_PATH}"></script>`;
  return page.replace("<head>", head).replace(SETTINGS, (_, before, text) => {
    const found = JSON.parse(text.replace(/&(?:quot|lt|gt|#39|amp);/g, (entity) => ENTITIES[entity]));
    found.configurationDefaults = defaults.settings;
    found.initialColorTheme = { themeType: "dark" }; // until the default theme is loaded
    Object.assign(found.productConfiguration, defaults.product);
    return `${before}${JSON.stringify(found).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")}"`;
  });
}

// Hold back what is written until the end, then send it changed.
function configure(response) {
  const parts = [];
  const [head, end] = [response.writeHead.bind(response), response.end.bind(response)];
  let [status, headers] = [200, {}];
  response.writeHead = (code_, ...rest) => {
    [status, headers] = [code_, Object.assign({}, ...rest.filter((each) => typeof each === "object"))];
    return response;
  };
  response.write = (part) => parts.push(Buffer.from(part)) > 0;
  response.end = (part) => {
    if (part) parts.push(Buffer.from(part));
    const page = Buffer.from(configured(Buffer.concat(parts).toString("utf8")));
    for (const name of Object.keys(headers)) if (name.toLowerCase() === "content-length") headers[name] = page.length;
    head(status, headers);
    return end(page);
  };
}

// A page of another site that the browser shows must not reach the editor.
const ours = (request) => !request.headers.origin || request.headers.origin === `http://127.0.0.1:${port}`;

const pages = createServer(async (request, response) => {
  if (!ours(request)) return response.writeHead(403).end();
  const { pathname } = new URL(request.url, "http://127.0.0.1");
  if (pathname === KEYS_PATH) return response.writeHead(200, { "content-type": "text/javascript" }).end(KEYS);
  if (pathname === "/") configure(response);
  (await editor).handleRequest(request, response);
});
pages.on("upgrade", async (request, socket) => {
  if (!ours(request)) return socket.destroy();
  (await editor).handleUpgrade(request, socket);
});
pages.listen({ fd: Number(pagesFd) });

const sessions = new Map();
let count = 0;

function answers(path) {
  return new Promise((resolve) => {
    const socket = connect(path, () => resolve(true) || socket.destroy());
    socket.on("error", () => resolve(false));
  });
}

async function alive() {
  for (const path of [...sessions.keys()]) if (!(await answers(path))) sessions.delete(path);
  return [...sessions.values()].sort(LATEST_FIRST);
}

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  let told = {};
  if (request.url === "/add-session") {
    const { entry } = JSON.parse(Buffer.concat(parts).toString("utf8"));
    const folders = (entry.workspace?.folders ?? []).map((folder) => folder.uri.path);
    const workspace = entry.workspace?.configuration?.path ?? "";
    sessions.set(entry.socketPath, { socket: entry.socketPath, folders, workspace, number: count++ });
  } else if (request.url === "/delete-session") {
    sessions.delete(JSON.parse(Buffer.concat(parts).toString("utf8")).socketPath);
  } else {
    told = await alive();
  }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(told));
}).listen({ fd: Number(controlFd) });
