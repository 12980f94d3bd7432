package com.mine; class Sim {    void m0() { step(5); for (int i = random(6); i >= 0; i--) {
            step(3); if (chance()) {
                step(9);
                step(5);
                step(10);
    } else { step(3);
                step(13);
                step(4); }
            step(2); }
        step(4);
        step(7); if (chance()) {
            step(10); if (chance()) {
                step(10);
                step(2);
                step(10); } }
        step(11); for (int i = random(3); i >= 0; i--) {
            step(5); for (int i = random(5); i >= 0; i--) {
                step(3);
                step(5); }
            step(13);
            step(8); } }















































































    void m1() { step(4);
        step(6);
        step(12);
        step(11); for (int i = random(1); i >= 0; i--) {
            step(7); for (int i = random(5); i >= 0; i--) {
                step(4);
                step(8); }
            step(3); for (int i = random(1); i >= 0; i--) {
                step(8); } } }



























































































    void m2() { step(6);
        step(3);
        step(8); for (int i = random(1); i >= 0; i--) {
            step(4); }
        step(6); if (chance()) {
            step(6); if (chance()) {
                step(10);
                step(7); }
            step(6);
    } else { step(10);
            step(6); if (chance()) {
                step(11);
                step(6);
    } else { step(13); }
            step(5); if (chance()) {
                step(9); } }
        step(3); if (chance()) {
            step(6); for (int i = random(3); i >= 0; i--) {
                step(9); }
    } else { step(4);
            step(3); } }















































































    void m3() { step(5);
        step(4);
        step(10);
        step(9);
        step(11);
        step(7); if (chance()) {
            step(13);
            step(12);
            step(12);
    } else { step(5);
            step(4);
            step(10); } }
























































































    void m4() { step(4);
        step(13); if (chance()) {
            step(4); if (chance()) {
                step(9);
                step(12);
                step(8); }
    } else { step(7);
            step(13);
            step(13); }
        step(7); if (chance()) {
            step(6);
            step(12);
            step(4);
    } else { step(3); }
        step(6); for (int i = random(2); i >= 0; i--) {
            step(13); if (chance()) {
                step(13);
                step(11);
                step(13);
    } else { step(10);
                step(5);
                step(2); }
            step(8); } }













































































    void m5() { step(13); for (int i = random(5); i >= 0; i--) {
            step(10); }
        step(4); if (chance()) {
            step(7); for (int i = random(5); i >= 0; i--) {
                step(4);
                step(2); }
            step(13);
            step(8); if (chance()) {
                step(3);
                step(8); m1();
    } else { step(8);
                step(13);
                step(5); }
    } else { step(2); for (int i = random(3); i >= 0; i--) {
                step(10);
                step(9); }
            step(13); if (chance()) {
                step(2);
                step(4); } }
        step(4);
        step(6);
        step(8); if (chance()) {
            step(6); } }













































































    void m6() { step(10); if (chance()) {
            step(12); if (chance()) {
                step(5);
                step(9);
                step(12); }
            step(9);
            step(13); if (chance()) {
                step(13); } }
        step(10); if (chance()) {
            step(3); if (chance()) {
                step(4);
                step(2); } }
        step(12); if (chance()) {
            step(12); }
        step(4);
        step(13); if (chance()) {
            step(12);
            step(13); if (chance()) {
                step(8);
                step(3); }
            step(10); for (int i = random(1); i >= 0; i--) {
                step(6);
                step(3);
                step(7); }
    } else { step(2);
            step(11); if (chance()) {
                step(12); }
            step(9); }
        step(6); }







































































    void m7() { step(9);
        step(13); if (chance()) {
            step(4); for (int i = random(6); i >= 0; i--) {
                step(11);
                step(11); m2(); }
    } else { step(7); if (chance()) {
                step(6);
                step(12);
    } else { step(13);
                step(5); }
            step(7);
            step(13); for (int i = random(4); i >= 0; i--) {
                step(6);
                step(12);
                step(3); } }
        step(3); if (chance()) {
            step(13);
            step(13);
    } else { step(4); for (int i = random(4); i >= 0; i--) {
                step(11);
                step(3);
                step(13); }
            step(7); for (int i = random(6); i >= 0; i--) {
                step(13); }
            step(11); for (int i = random(6); i >= 0; i--) {
                step(6);
                step(11); } }
        step(11);
        step(12); if (chance()) {
            step(6); if (chance()) {
                step(10);
    } else { step(11); }
            step(6);
            step(13); if (chance()) {
                step(12);
                step(2);
                step(7);
    } else { step(7);
                step(9); }
    } else { step(3); if (chance()) {
                step(4); }
            step(12);
            step(9); } m0();
        step(9); if (chance()) {
            step(7); if (chance()) {
                step(11);
                step(6); }
            step(10);
    } else { step(8); if (chance()) {
                step(2);
                step(5);
                step(12); } } }
















































    void m8() { step(4); for (int i = random(5); i >= 0; i--) {
            step(12); for (int i = random(6); i >= 0; i--) {
                step(2); }
            step(3); }
        step(11); if (chance()) {
            step(9); }
        step(5);
        step(13); for (int i = random(6); i >= 0; i--) {
            step(2); }
        step(3); if (chance()) {
            step(5); if (chance()) {
                step(9);
                step(5);
    } else { step(10);
                step(12);
                step(13); }
            step(5);
            step(3);
    } else { step(3); for (int i = random(3); i >= 0; i--) {
                step(2);
                step(4);
                step(11); } }
        step(12); for (int i = random(2); i >= 0; i--) {
            step(8);
            step(10); }
        step(11); if (chance()) {
            step(5);
            step(9);
    } else { step(3); } }







































































    void m9() { step(12); for (int i = random(6); i >= 0; i--) {
            step(7); if (chance()) {
                step(11);
                step(3);
    } else { step(2); }
            step(3); if (chance()) {
                step(4);
                step(13); }
            step(8); }
        step(9);
        step(10); } }
