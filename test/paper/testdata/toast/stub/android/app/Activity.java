package android.app;

import android.content.Context;
import android.view.View;
import android.widget.Toast;

/** Stands for Android's class. The program clicks the activity with the given name. */
public class Activity extends Context {
    public static void main(String[] args) throws Exception {
        ((View.OnClickListener) Class.forName(args[0]).getConstructor().newInstance()).onClick(new View());
        System.out.println("toasts shown: " + Toast.shown);
    }
}
