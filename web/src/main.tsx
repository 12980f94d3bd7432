// Starts the app in its host: an HTML file or VS Code.

import { render } from "preact";
import { codeHost, fileHost, unpack, type VSCode } from "./host";
import { initial, reduce } from "./state";
import { createStore } from "./store";
import "./style.css";
import { App } from "./views/app";

declare function acquireVsCodeApi(): VSCode;

const data = document.getElementById("data");
const app = document.getElementById("app")!;
const host = data ? fileHost(unpack(data.textContent ?? "")) : codeHost(acquireVsCodeApi(), app.textContent ?? "");
app.textContent = "";
const store = createStore(reduce, initial);
render(<App store={store} host={host} />, app);
host.start(store.send);
