// The webview's document. It contains the script and the style, with a nonce. It loads
// nothing, not even from the extension, and sends nothing.

/** page returns the document. waiting is its message until data arrives; nonce must be new each time. */
export function page(script: string, style: string, nonce: string, waiting: string): string {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Diffprof</title>
<style nonce="${nonce}">${closed(style, "style")}</style>
</head>
<body>
<div id="app">${waiting}</div>
<script nonce="${nonce}">${closed(script, "script")}</script>
</body>
</html>`;
}

// The text of an element must not contain its end tag. In strings of both languages, a
// backslash before the slash changes nothing.
function closed(text: string, element: string): string {
  return text.replace(new RegExp(`</(?=${element})`, "gi"), "<\\/");
}
