import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;

import org.eclipse.lsp4j.*;
import org.eclipse.lsp4j.jsonrpc.messages.Either;
import org.eclipse.lsp4j.launch.LSPLauncher;
import org.eclipse.lsp4j.services.LanguageClient;
import org.eclipse.lsp4j.services.LanguageServer;

/**
 * Opens a file of a project as the plugin LSP4IJ of Android Studio does, and prints what the user
 * would see. The arguments are the project's folder, the file, the text in the file at which the
 * user clicks, and the command that starts the server. LSP4J validates each message. The program
 * fails if a message is not valid.
 */
public final class Client implements LanguageClient {
	/** The longest wait for an event. */
	private static final long PATIENCE = TimeUnit.MINUTES.toNanos(2);

	private static final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

	private final Map<String, List<Diagnostic>> diagnostics = new HashMap<>();
	private final List<String> shown = new ArrayList<>();
	private final List<String> settled = new ArrayList<>();

	public static void main(String[] args) throws Exception {
		Path folder = Path.of(args[0]).toRealPath();
		Path file = folder.resolve(args[1]);
		Process process = new ProcessBuilder(Arrays.asList(args).subList(3, args.length))
				.directory(folder.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		Client client = new Client();
		var launcher = new LSPLauncher.Builder<LanguageServer>()
				.setLocalService(client).setRemoteInterface(LanguageServer.class)
				.setInput(process.getInputStream()).setOutput(process.getOutputStream())
				.validateMessages(true)
				.setExceptionHandler(e -> {
					e.printStackTrace();
					System.exit(1);
					return null;
				}).create();
		launcher.startListening();
		client.use(launcher.getRemoteProxy(), folder, file, args[2]);
		if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
			throw new AssertionError("the server did not end well");
		}
		System.exit(0);
	}

	private void use(LanguageServer server, Path folder, Path file, String click) throws Exception {
		var params = new InitializeParams();
		params.setProcessId((int) ProcessHandle.current().pid());
		params.setRootUri(folder.toUri().toString());
		params.setWorkspaceFolders(List.of(new WorkspaceFolder(folder.toUri().toString(), folder.getFileName().toString())));
		params.setCapabilities(capabilities());
		params.setInitializationOptions(new JsonObject());
		ServerCapabilities can = get(server.initialize(params)).getCapabilities();
		server.initialized(new InitializedParams());
		server.getWorkspaceService().didChangeConfiguration(new DidChangeConfigurationParams(new JsonObject()));

		String uri = file.toUri().toString();
		String text = Files.readString(file);
		String language = uri.endsWith(".kt") ? "kotlin" : "java";
		var documents = server.getTextDocumentService();
		documents.didOpen(new DidOpenTextDocumentParams(new TextDocumentItem(uri, language, 1, text)));
		await("the end of a comparison", () -> settled.stream().anyMatch(s -> s.startsWith("diffprof: comparing")));
		await("diagnostics", () -> !diagnostics.getOrDefault(uri, List.of()).isEmpty());
		var id = new TextDocumentIdentifier(uri);

		out.println("-- diagnostics --");
		var found = sorted(diagnostics.get(uri), Diagnostic::getRange);
		for (Diagnostic d : found) {
			out.printf("%s %s %s: %s%n", place(d.getRange()), d.getSeverity(), d.getCode().get(), d.getMessage().getLeft() );
		}
		out.println("-- lenses --");
		List<CodeLens> lenses = new ArrayList<>(get(documents.codeLens(new CodeLensParams(id))));
		for (CodeLens lens : sorted(lenses, CodeLens::getRange)) {
			out.printf("%s %s%n", place(lens.getRange()), lens.getCommand().getTitle());
		}
		out.println("-- hints --");
		Range all = new Range(new Position(0, 0), new Position((int) text.lines().count(), 0));
		for (InlayHint hint : get(documents.inlayHint(new InlayHintParams(id, all)))) {
			out.printf("%s %s%n", place(hint.getPosition()), label(hint));
		}
		int offset = text.indexOf(click);
		String before = text.substring(0, offset);
		var at = new Position((int) before.chars().filter(c -> c == '\n').count(), offset - before.lastIndexOf('\n') - 1);
		out.println("-- hover --");
		Hover hover = get(documents.hover(new HoverParams(id, at)));
		out.println(hover == null ? "none" : hover.getContents().getRight().getValue());

		// The menu of a diagnostic has quick fixes, and the light bulb has the other actions.
		out.println("-- quick fixes --");
		var context = new CodeActionContext(found.subList(0, 1));
		context.setOnly(List.of(CodeActionKind.QuickFix));
		var fixes = get(documents.codeAction(new CodeActionParams(id, found.get(0).getRange(), context)));
		fixes.forEach(a -> out.println(title(a)));
		out.println("-- light bulb --");
		var actions = get(documents.codeAction(new CodeActionParams(id, new Range(at, at), new CodeActionContext(List.of()))));
		actions.stream().filter(a -> a.isLeft() || !CodeActionKind.QuickFix.equals(a.getRight().getKind())).forEach(a -> out.println(title(a)));

		out.println("-- a click on the first lens --");
		run(server, can, lenses.get(0).getCommand());
		for (var action : actions) {
			if (action.isRight() && action.getRight().getCommand() != null && !CodeActionKind.QuickFix.equals(action.getRight().getKind())) {
				out.println("-- " + title(action) + " --");
				run(server, can, action.getRight().getCommand());
			}
		}
		out.println("-- after typing a line --");
		var change = new TextDocumentContentChangeEvent(new Range(new Position(0, 0), new Position(0, 0)), "// a line more\n");
		documents.didChange(new DidChangeTextDocumentParams(new VersionedTextDocumentIdentifier(uri, 2), List.of(change)));
		lenses = new ArrayList<>(get(documents.codeLens(new CodeLensParams(id))));
		for (CodeLens lens : sorted(lenses, CodeLens::getRange)) {
			out.printf("%s %s%n", place(lens.getRange()), lens.getCommand().getTitle());
		}
		documents.didClose(new DidCloseTextDocumentParams(id));
		get(server.shutdown());
		server.exit();
	}

	/** Runs a command of a lens or an action, and prints the messages that it shows. */
	private void run(LanguageServer server, ServerCapabilities can, Command command) throws Exception {
		if (!can.getExecuteCommandProvider().getCommands().contains(command.getCommand())) {
			throw new AssertionError("the server does not announce " + command.getCommand());
		}
		synchronized (this) {
			shown.clear();
		}
		get(server.getWorkspaceService().executeCommand(new ExecuteCommandParams(command.getCommand(), command.getArguments())));
		if (command.getCommand().equals("diffprof.openReport")) {
			await("the report", () -> !shown.isEmpty());
		}
		synchronized (this) {
			shown.forEach(out::println);
		}
	}

	/** The capabilities that LSP4IJ announces, as far as they matter to the server. */
	private static ClientCapabilities capabilities() {
		var workspace = new WorkspaceClientCapabilities();
		workspace.setApplyEdit(true);
		workspace.setConfiguration(true);
		workspace.setWorkspaceFolders(true);
		workspace.setSymbol(new SymbolCapabilities());
		workspace.setExecuteCommand(new ExecuteCommandCapabilities(true));
		var edit = new WorkspaceEditCapabilities();
		edit.setDocumentChanges(true);
		edit.setResourceOperations(List.of(ResourceOperationKind.Create, ResourceOperationKind.Delete, ResourceOperationKind.Rename));
		workspace.setWorkspaceEdit(edit);
		workspace.setDidChangeWatchedFiles(new DidChangeWatchedFilesCapabilities(true));
		workspace.setDidChangeConfiguration(new DidChangeConfigurationCapabilities(true));
		workspace.setCodeLens(new CodeLensWorkspaceCapabilities(true));
		workspace.setInlayHint(new InlayHintWorkspaceCapabilities(true));
		workspace.setDiagnostics(new DiagnosticWorkspaceCapabilities(true));

		var document = new TextDocumentClientCapabilities();
		var publish = new PublishDiagnosticsCapabilities();
		publish.setDataSupport(true);
		publish.setCodeDescriptionSupport(true);
		publish.setRelatedInformation(true);
		publish.setTagSupport(new DiagnosticsTagSupport(List.of(DiagnosticTag.Unnecessary, DiagnosticTag.Deprecated)));
		document.setPublishDiagnostics(publish);
		document.setDiagnostic(new DiagnosticCapabilities(true));
		var actions = new CodeActionCapabilities(new CodeActionLiteralSupportCapabilities(
				new CodeActionKindCapabilities(List.of(CodeActionKind.QuickFix, CodeActionKind.Refactor))), true);
		actions.setDataSupport(true);
		actions.setResolveSupport(new CodeActionResolveSupportCapabilities(List.of("edit")));
		document.setCodeAction(actions);
		document.setCodeLens(new CodeLensCapabilities(true));
		document.setInlayHint(new InlayHintCapabilities(true));
		var hover = new HoverCapabilities(true);
		hover.setContentFormat(List.of(MarkupKind.MARKDOWN, MarkupKind.PLAINTEXT));
		document.setHover(hover);
		document.setCallHierarchy(new CallHierarchyCapabilities(true));
		document.setSynchronization(new SynchronizationCapabilities(true, true, true));

		var window = new WindowClientCapabilities();
		window.setWorkDoneProgress(true);
		window.setShowDocument(new ShowDocumentCapabilities(true));
		var message = new WindowShowMessageRequestCapabilities();
		message.setMessageActionItem(new WindowShowMessageRequestActionItemCapabilities(false));
		window.setShowMessage(message);

		var all = new ClientCapabilities(workspace, document, window, new JsonObject());
		var general = new GeneralClientCapabilities();
		general.setPositionEncodings(List.of(PositionEncodingKind.UTF16));
		all.setGeneral(general);
		return all;
	}

	private static <T> T get(CompletableFuture<T> answer) throws Exception {
		return answer.get(PATIENCE, TimeUnit.NANOSECONDS);
	}

	private synchronized void await(String what, BooleanSupplier done) throws Exception {
		for (long end = System.nanoTime() + PATIENCE; !done.getAsBoolean();) {
			long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
			if (left <= 0) {
				throw new AssertionError("waited too long for " + what);
			}
			wait(left);
		}
	}

	private static <T> List<T> sorted(List<T> list, java.util.function.Function<T, Range> range) {
		list = new ArrayList<>(list);
		list.sort(Comparator.comparing((T t) -> range.apply(t).getStart().getLine()).thenComparing(t -> range.apply(t).getStart().getCharacter()));
		return list;
	}

	private static String place(Range r) {
		return place(r.getStart()) + "-" + place(r.getEnd());
	}

	private static String place(Position p) {
		return (p.getLine() + 1) + ":" + (p.getCharacter() + 1);
	}

	private static String title(Either<Command, CodeAction> action) {
		return action.isLeft() ? action.getLeft().getTitle() : action.getRight().getTitle();
	}

	private static String label(InlayHint hint) {
		if (hint.getLabel().isLeft()) {
			return hint.getLabel().getLeft();
		}
		var parts = new StringBuilder();
		hint.getLabel().getRight().forEach(p -> parts.append(p.getValue()));
		return parts.toString();
	}

	@Override
	public synchronized void publishDiagnostics(PublishDiagnosticsParams p) {
		diagnostics.put(p.getUri(), p.getDiagnostics());
		notifyAll();
	}

	@Override
	public synchronized void showMessage(MessageParams p) {
		shown.add(p.getType() + ": " + p.getMessage());
		notifyAll();
	}

	@Override
	public synchronized CompletableFuture<MessageActionItem> showMessageRequest(ShowMessageRequestParams p) {
		shown.add(p.getType() + "?: " + p.getMessage());
		notifyAll();
		return CompletableFuture.completedFuture(p.getActions() == null || p.getActions().isEmpty() ? null : p.getActions().get(0));
	}

	@Override
	public synchronized CompletableFuture<ShowDocumentResult> showDocument(ShowDocumentParams p) {
		if (!Boolean.TRUE.equals(p.getExternal()) && p.getSelection() == null) {
			// LSP4IJ 0.20 never answers such a request.
			throw new IllegalArgumentException("no selection");
		}
		String uri = p.getUri();
		shown.add((Boolean.TRUE.equals(p.getExternal()) ? "the browser shows " : "the editor shows ") + uri.substring(uri.lastIndexOf('/') + 1).replaceAll("[0-9]+", "N"));
		notifyAll();
		return CompletableFuture.completedFuture(new ShowDocumentResult(true));
	}

	@Override
	public void logMessage(MessageParams p) {
		out.println("log: " + p.getMessage());
	}

	@Override
	public void telemetryEvent(Object o) {
		throw new AssertionError("telemetry");
	}

	@Override
	public synchronized CompletableFuture<ApplyWorkspaceEditResponse> applyEdit(ApplyWorkspaceEditParams p) {
		return CompletableFuture.completedFuture(new ApplyWorkspaceEditResponse(true));
	}

	@Override
	public CompletableFuture<Void> registerCapability(RegistrationParams p) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<Void> unregisterCapability(UnregistrationParams p) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<List<Object>> configuration(ConfigurationParams p) {
		// LSP4IJ answers with null for a section that its settings do not have.
		return CompletableFuture.completedFuture(new ArrayList<>(Collections.nCopies(p.getItems().size(), JsonNull.INSTANCE)));
	}

	@Override
	public CompletableFuture<List<WorkspaceFolder>> workspaceFolders() {
		return CompletableFuture.completedFuture(List.of());
	}

	@Override
	public CompletableFuture<Void> createProgress(WorkDoneProgressCreateParams p) {
		return CompletableFuture.completedFuture(null);
	}

	private final Map<Object, String> tasks = new HashMap<>();

	@Override
	public synchronized void notifyProgress(ProgressParams p) {
		var progress = p.getValue().getLeft();
		if (progress instanceof WorkDoneProgressBegin begin) {
			tasks.put(p.getToken().get(), begin.getTitle());
		} else if (progress instanceof WorkDoneProgressEnd end) {
			settled.add(tasks.get(p.getToken().get()) + ": " + end.getMessage());
			notifyAll();
		}
	}

	@Override
	public CompletableFuture<Void> refreshCodeLenses() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<Void> refreshInlayHints() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<Void> refreshDiagnostics() {
		return CompletableFuture.completedFuture(null);
	}
}
