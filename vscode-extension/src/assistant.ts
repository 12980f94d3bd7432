// Registers the program as a server for coding assistants, in a VS Code that has them.

import * as vscode from "vscode";
import { program } from "./program.ts";

/** label is the server's name in VS Code. */
export const label = "Diffprof";

// The types of VS Code 1.101, which this extension does not require.
type Definition = { label: string; command: string; args: string[]; cwd?: vscode.Uri };
interface Definitions {
  readonly onDidChangeMcpServerDefinitions: vscode.Event<void>;
  provideMcpServerDefinitions(): Definition[];
  resolveMcpServerDefinition(server: Definition): Promise<Definition | undefined>;
}
interface Assistants {
  registerMcpServerDefinitionProvider?(id: string, provider: Definitions): vscode.Disposable;
}
type Stdio = new (label: string, command: string, args: string[]) => Definition;

/** registerAssistant registers a server for each workspace folder. It starts nothing. */
export function registerAssistant(extension: string, log: vscode.LogOutputChannel): vscode.Disposable[] {
  const { lm, McpStdioServerDefinition: Stdio } = vscode as unknown as { lm?: Assistants; McpStdioServerDefinition?: Stdio };
  if (!lm?.registerMcpServerDefinitionProvider || !Stdio) return [];
  const changed = new vscode.EventEmitter<void>();
  const wanted = () => vscode.workspace.isTrusted && vscode.workspace.getConfiguration("diffprof").get("assistant", true);
  const registered = lm.registerMcpServerDefinitionProvider("diffprof.assistant", {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions: () => {
      const folders = vscode.workspace.workspaceFolders ?? [];
      if (!wanted()) return [];
      return folders.map((f) => {
        const server = new Stdio(folders.length > 1 ? `${label} (${f.name})` : label, "diffprof", ["mcp"]);
        server.cwd = f.uri;
        return server;
      });
    },
    // VS Code asks for the program when it starts the server.
    resolveMcpServerDefinition: async (server) => {
      const found = await program(extension, log);
      if (!found) return undefined;
      server.command = found;
      return server;
    },
  });
  return [
    changed, registered,
    vscode.workspace.onDidChangeConfiguration((e) => e.affectsConfiguration("diffprof.assistant") && changed.fire()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
  ];
}
