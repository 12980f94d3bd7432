package screens;

import android.app.Activity;
import android.view.View;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.Robolectric;
import org.robolectric.annotation.Config;
import org.robolectric.shadows.ShadowToast;

/** Clicks one of the two apps of Section 6 of Orka. The property screens.app is the class of its activity. */
@RunWith(Runner.class)
@Config(sdk = 33, manifest = Config.NONE)
public final class Toasts {
    @Test
    public void click() throws Exception {
        Class<?> of = Class.forName(System.getProperty("screens.app"));
        Activity activity = Robolectric.buildActivity(of.asSubclass(Activity.class)).setup().get();
        ((View.OnClickListener) activity).onClick(new View(activity));
        System.out.println("toasts shown: " + ShadowToast.shownToastCount());
    }
}
