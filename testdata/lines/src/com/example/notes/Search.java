package com.example.notes;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A Search finds notes with a word that is similar to the query. */
class Search {
    private static final int SIMILAR = 2;
    private final List<Note> notes;
    private final Map<String, Note> titles = new HashMap<>(titlesOf(Notes.all()));

    Search(List<Note> notes) { this.notes = notes; }

    List<Note> find(String query) {
        List<Note> found = new ArrayList<>();
        for (Note note : notes) {
            for (String word : note.text().split(" ")) {
                if (distance(word, query) <= SIMILAR) {
                    found.add(note);
                    break;
                }
            }
        }
        return found;
    }

    /** distance is the number of edits that turn one word into the other. */
    private static int distance(String a, String b) {
        int[][] edits = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            edits[i][0] = i;
        }
        for (int j = 0; j <= b.length(); j++) {
            edits[0][j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                edits[i][j] = Math.min(edits[i - 1][j - 1] + change, 1 + Math.min(edits[i - 1][j], edits[i][j - 1]));
            }
        }
        return edits[a.length()][b.length()];
    }
}
