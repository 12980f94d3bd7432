package screens;

import android.app.Activity;
import android.app.Dialog;
import android.content.Intent;
import android.os.Looper;
import android.view.View;
import android.view.ViewGroup;
import android.widget.AdapterView;
import android.widget.TextView;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.Robolectric;
import org.robolectric.Shadows;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.annotation.Config;
import org.robolectric.shadows.ShadowDialog;
import org.robolectric.shadows.ShadowToast;

/**
 * Visits the screens of an app. A screen is an activity. The test writes the views of each screen, clicks
 * each view that can be clicked, and writes what each click changes. The property screens.list names a file
 * with the classes of the screens, and screens.out the file to write.
 */
@RunWith(Runner.class)
@Config(sdk = 33)
public final class Screens {
    /** A folder of a run of Robolectric. */
    private static final String FOLDER = "/tmp/robolectric-\\w+";

    private PrintStream out;
    private int clicks;
    private int failures;

    @Test
    public void visit() throws Exception {
        List<String> screens = Files.readAllLines(Paths.get(System.getProperty("screens.list")));
        out = new PrintStream(System.getProperty("screens.out"), "UTF-8");
        for (String screen : screens) {
            out.println("screen " + screen);
            try {
                visit(Class.forName(screen).asSubclass(Activity.class));
            } catch (Throwable t) {
                fail(t);
            }
        }
        out.println(screens.size() + " screens, " + clicks + " clicks, " + failures + " failures");
        out.close();
    }

    private void visit(Class<? extends Activity> of) {
        ActivityController<? extends Activity> controller = Robolectric.buildActivity(of);
        controller.setup();
        idle();
        View root = controller.get().getWindow().getDecorView();
        write(root, 1);
        List<View> targets = new ArrayList<>();
        collect(root, targets);
        for (View target : targets) {
            if (target.isAttachedToWindow() && !controller.get().isFinishing()) {
                click(controller.get(), target);
            }
        }
        controller.pause().stop().destroy();
        idle();
    }

    private static void idle() {
        Shadows.shadowOf(Looper.getMainLooper()).idle();
    }

    /** Clicks a view. In a list it clicks each visible row. */
    private void click(Activity activity, View target) {
        if (target instanceof AdapterView) {
            AdapterView<?> list = (AdapterView<?>) target;
            for (int i = 0; i < list.getChildCount(); i++) {
                int position = list.getFirstVisiblePosition() + i;
                View row = list.getChildAt(i);
                long id = list.getItemIdAtPosition(position);
                perform(activity, name(list) + " row " + position, () -> list.performItemClick(row, position, id));
            }
            return;
        }
        perform(activity, name(target), target::performClick);
    }

    private void perform(Activity activity, String what, Runnable action) {
        clicks++;
        out.println("  click " + what);
        int toasts = ShadowToast.shownToastCount();
        Dialog before = ShadowDialog.getLatestDialog();
        try {
            action.run();
            idle();
        } catch (Throwable t) {
            fail(t);
        }
        for (Intent next = Shadows.shadowOf(activity).getNextStartedActivity(); next != null;
                next = Shadows.shadowOf(activity).getNextStartedActivity()) {
            out.println("    starts " + next);
        }
        if (ShadowToast.shownToastCount() > toasts) {
            out.println("    shows " + (ShadowToast.shownToastCount() - toasts) + " toasts: " + ShadowToast.getTextOfLatestToast());
        }
        Dialog after = ShadowDialog.getLatestDialog();
        if (after != null && after != before && after.isShowing()) {
            out.println("    opens a dialog");
            write(after.getWindow().getDecorView(), 3);
            after.dismiss();
            idle();
        }
        write(activity.getWindow().getDecorView(), 2);
    }

    private void fail(Throwable t) {
        failures++;
        out.println("  fails: " + t.getClass().getName());
        if (Boolean.getBoolean("screens.trace")) {
            t.printStackTrace();
        }
    }

    private static void collect(View view, List<View> targets) {
        if (view.isShown() && view.isEnabled() && (view.isClickable() || view instanceof AdapterView)) {
            targets.add(view);
        }
        if (view instanceof ViewGroup && !(view instanceof AdapterView)) {
            ViewGroup group = (ViewGroup) view;
            for (int i = 0; i < group.getChildCount(); i++) {
                collect(group.getChildAt(i), targets);
            }
        }
    }

    private void write(View view, int depth) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < depth; i++) {
            line.append("  ");
        }
        line.append(name(view)).append(' ').append(view.getLeft()).append(',').append(view.getTop()).append(' ');
        line.append(view.getWidth()).append('x').append(view.getHeight());
        line.append(view.getVisibility() == View.VISIBLE ? "" : " hidden").append(view.isEnabled() ? "" : " disabled");
        line.append(view.isSelected() ? " selected" : "").append(view.hasFocus() ? " focused" : "");
        if (view instanceof TextView) {
            line.append(" \"").append(((TextView) view).getText().toString().replace("\n", "\\n").replaceAll(FOLDER, "/tmp")).append('"');
        }
        out.println(line);
        if (view instanceof ViewGroup) {
            ViewGroup group = (ViewGroup) view;
            for (int i = 0; i < group.getChildCount(); i++) {
                write(group.getChildAt(i), depth + 1);
            }
        }
    }

    private static String name(View view) {
        String id = "";
        if (view.getId() != View.NO_ID) {
            try {
                id = "#" + view.getResources().getResourceEntryName(view.getId());
            } catch (RuntimeException e) {
                id = "#" + view.getId();
            }
        }
        return view.getClass().getName() + id;
    }
}
