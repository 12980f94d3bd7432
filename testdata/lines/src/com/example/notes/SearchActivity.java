package com.example.notes;

import android.app.Activity;
import android.os.Bundle;
import android.widget.TextView;

import java.util.List;

/** A SearchActivity shows the number of notes that a search finds. */
public class SearchActivity extends Activity {
    private TextView title;

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        setContentView(R.layout.search);
        title = findViewById(R.id.title);
    }

    /** onQuery is called after each key. */
    void onQuery(String text) {
        Search search = new Search(Notes.all());
        List<Note> found = search.find(text);
        title.setText(getString(R.string.found, found.size()));
    }
}
