package com.example.notes

import android.app.Activity
import android.os.Bundle
import android.widget.TextView

class NotesActivity : Activity() {
    private lateinit var title: TextView

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        title = TextView(this)
        title.setOnClickListener { reload() }
        reload()
    }

    private fun reload() {
        val cursor = contentResolver.query(NOTES, null, null, null, null)
        title.text = cursor.asTitle()
    }
}
