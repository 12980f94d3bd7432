// The heat overlay on open editors: lines that call tasks, and lines that use energy themselves.

import * as vscode from "vscode";
import { background } from "./errors.ts";
import { few, hatching, lines, marks, steps, undetermined } from "./heat.ts";
import { methods, type SourceLine, type SourceLines } from "./protocol.ts";
import type { Results } from "./results.ts";
import type { Server } from "./server.ts";

// Wait for a burst of edits to end.
const settle = 150;

export class Overlay implements vscode.Disposable {
  private readonly styles: vscode.TextEditorDecorationType[];
  /** the style of lines with too few samples for a figure */
  private readonly unknown: vscode.TextEditorDecorationType;
  /** the style of lines that a meter did not determine */
  private readonly hatched: vscode.TextEditorDecorationType;
  private readonly subscriptions: vscode.Disposable[];
  /** the lines with energy of each visible file, by URI */
  private sources = new Map<string, readonly SourceLine[]>();
  private timer: NodeJS.Timeout | undefined;
  private generation = 0;

  constructor(
    private readonly results: Results,
    private readonly server: Server,
  ) {
    this.styles = Array.from({ length: steps }, (_, i) => {
      const colour = new vscode.ThemeColor(`diffprof.heat${i + 1}`);
      return vscode.window.createTextEditorDecorationType({
        isWholeLine: true, backgroundColor: new vscode.ThemeColor(`diffprof.heat${i + 1}Background`), overviewRulerColor: colour,
        overviewRulerLane: vscode.OverviewRulerLane.Left, borderWidth: "0 0 0 3px", borderStyle: "solid", borderColor: colour,
      });
    });
    this.unknown = vscode.window.createTextEditorDecorationType({
      isWholeLine: true, borderWidth: "0 0 0 3px", borderStyle: "dashed", borderColor: new vscode.ThemeColor("editorLineNumber.foreground"),
    });
    this.hatched = vscode.window.createTextEditorDecorationType({ gutterIconPath: vscode.Uri.parse(hatching), gutterIconSize: "contain" });
    this.subscriptions = [
      results.onUpdated(() => this.draw()),
      server.onChanged(() => this.refresh()),
      server.onPresence((p) => p !== "running" && this.clear()),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.draw();
        this.refresh();
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const d of [...this.subscriptions, ...this.styles, this.unknown, this.hatched]) d.dispose();
  }

  private clear(): void {
    this.generation++;
    this.sources.clear();
    this.draw();
  }

  private refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => background(this.server.log, "requesting lines", this.load()), settle);
  }

  private async load(): Promise<void> {
    if (!this.server.running()) return;
    const generation = ++this.generation;
    const found = new Map<string, readonly SourceLine[]>();
    for (const { document } of vscode.window.visibleTextEditors) {
      const uri = document.uri.toString();
      if (document.uri.scheme !== "file" || found.has(uri) || !/\.(java|kt)$/.test(document.uri.path)) continue;
      const version = document.version;
      const answer = await this.server.ask<SourceLines>(methods.lines, { textDocument: { uri } });
      if (generation !== this.generation) return;
      // An edit has moved the lines. The server announces the change.
      if (document.version === version) found.set(uri, answer.lines);
    }
    this.sources = found;
    this.draw();
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.scheme !== "file") continue;
      const parts: vscode.DecorationOptions[][] = this.styles.map(() => []);
      const unknown: vscode.DecorationOptions[] = [];
      const hatched: vscode.DecorationOptions[] = [];
      const uri = editor.document.uri.toString();
      const hot = lines(this.results.tasks, uri, this.results.comparison?.energyNJ ?? 0);
      for (const mark of this.results.lineHeat ? marks(hot, this.sources.get(uri) ?? []) : []) {
        if (mark.line >= editor.document.lineCount) continue;
        const range = editor.document.lineAt(mark.line).range;
        (mark.step === few ? unknown : mark.step === undetermined ? hatched : parts[mark.step]!).push({ range });
      }
      this.styles.forEach((style, i) => editor.setDecorations(style, parts[i]!));
      editor.setDecorations(this.unknown, unknown);
      editor.setDecorations(this.hatched, hatched);
    }
  }
}
