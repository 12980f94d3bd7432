package platform

// vendors are the packages that makers of phones and of processors add to Android.
// The framework calls into them on their devices, so that they stand between two
// methods of Android, or below one.
var vendors = []string{
	"com.coloros", "com.htc", "com.huawei.android", "com.lge", "com.mediatek", "com.meizu", "com.motorola",
	"com.oneplus", "com.oplus", "com.oppo", "com.qti", "com.qualcomm", "com.quicinc", "com.samsung.android",
	"com.sec.android", "com.sonyericsson", "com.sonymobile", "com.vivo", "com.zte",
	"huawei.android", "miui", "oppo", "vendor.qti", "vivo",
}

// vendorsApps are packages below those of vendors that apps ship or are.
var vendorsApps = []string{
	"com.huawei.android.launcher", "com.samsung.android.app", "com.samsung.android.sdk", "com.sec.android.app",
}
