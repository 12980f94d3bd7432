package orka;

import android.app.Activity;
import android.view.View;
import android.widget.Toast;

/** The first app of Section 6 of Orka: a button shows a toast 50 times. */
public class First extends Activity implements View.OnClickListener {
    @Override
    public void onClick(View button) {
        for (int i = 0; i < 50; i++) {
            Toast.makeText(this, "a toast", Toast.LENGTH_SHORT).show();
        }
    }
}
