package com.example.notes

import android.database.Cursor
import android.net.Uri
import android.text.Html

val NOTES: Uri = Uri.parse("content://com.example.notes/all")

fun Cursor?.asTitle(): CharSequence = Html.fromHtml(this?.getString(0) ?: "")
