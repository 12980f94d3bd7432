package platform

// vendors are the packages that makers of phones and processors add to Android. On the devices of a
// vendor, the framework calls them, so they appear between methods of Android or below them.
var vendors = []string{
	"com.coloros", "com.htc", "com.huawei.android", "com.lge", "com.mediatek", "com.meizu", "com.motorola",
	"com.oneplus", "com.oplus", "com.oppo", "com.qti", "com.qualcomm", "com.quicinc", "com.samsung.android",
	"com.sec.android", "com.sonyericsson", "com.sonymobile", "com.vivo", "com.zte",
	"huawei.android", "miui", "oppo", "vendor.qti", "vivo",
}

// vendorsApps are packages of apps below the packages of vendors.
var vendorsApps = []string{
	"com.huawei.android.launcher", "com.samsung.android.app", "com.samsung.android.sdk", "com.sec.android.app",
}
