package platform

// vendors are packages that makers of phones and processors add to Android. On their devices, the
// framework calls these packages, so they appear between or below methods of Android.
var vendors = []string{
	"com.coloros", "com.htc", "com.huawei.android", "com.lge", "com.mediatek", "com.meizu", "com.motorola",
	"com.oneplus", "com.oplus", "com.oppo", "com.qti", "com.qualcomm", "com.quicinc", "com.samsung.android",
	"com.sec.android", "com.sonyericsson", "com.sonymobile", "com.vivo", "com.zte",
	"huawei.android", "miui", "oppo", "vendor.qti", "vivo",
}

// vendorsApps are packages of the vendors' apps, within the packages in vendors.
var vendorsApps = []string{
	"com.huawei.android.launcher", "com.samsung.android.app", "com.samsung.android.sdk", "com.sec.android.app",
}
