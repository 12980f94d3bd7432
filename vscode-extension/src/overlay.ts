// The heat overlay on open editors.

import * as vscode from "vscode";
import { lines, step, steps } from "./heat.ts";
import type { Results } from "./results.ts";

export class Overlay implements vscode.Disposable {
  private readonly styles: vscode.TextEditorDecorationType[];
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly results: Results) {
    this.styles = Array.from({ length: steps }, (_, i) => {
      const colour = new vscode.ThemeColor(`diffprof.heat${i + 1}`);
      return vscode.window.createTextEditorDecorationType({
        isWholeLine: true, backgroundColor: new vscode.ThemeColor(`diffprof.heat${i + 1}Background`), overviewRulerColor: colour,
        overviewRulerLane: vscode.OverviewRulerLane.Left, borderWidth: "0 0 0 3px", borderStyle: "solid", borderColor: colour,
      });
    });
    this.subscriptions = [
      results.onUpdated(() => this.draw()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
    ];
  }

  dispose(): void {
    for (const d of [...this.subscriptions, ...this.styles]) d.dispose();
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.scheme !== "file") continue;
      const parts: vscode.DecorationOptions[][] = this.styles.map(() => []);
      const uri = editor.document.uri.toString();
      for (const hot of this.results.lineHeat ? lines(this.results.tasks, uri, this.results.comparison?.energyNJ ?? 0) : []) {
        if (hot.line >= editor.document.lineCount) continue;
        parts[step(hot.share)]!.push({ range: editor.document.lineAt(hot.line).range });
      }
      this.styles.forEach((style, i) => editor.setDecorations(style, parts[i]!));
    }
  }
}
