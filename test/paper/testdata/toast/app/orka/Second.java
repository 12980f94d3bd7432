package orka;

import android.app.Activity;
import android.view.View;
import android.widget.Toast;

/** The second app of Section 6 of Orka: a button shows a toast once. */
public class Second extends Activity implements View.OnClickListener {
    @Override
    public void onClick(View button) {
        Toast.makeText(this, "a toast", Toast.LENGTH_SHORT).show();
    }
}
