# Methods whose parameters the probes move, for TestRegisters.
.class public LRegisters;
.super Ljava/lang/Object;

.field private total:J

# Locals and parameters have 16 registers or more, and the locals have fewer: 13 + 4.
.method public sixteen(IJ)J
    .registers 17
    const/4 v0, 0x1
    add-int v12, p1, v0
    int-to-long v2, v12
    add-long/2addr p2, v2
    iput-wide p2, p0, LRegisters;->total:J
    invoke-virtual {p0}, Ljava/lang/Object;->hashCode()I
    return-wide p2
.end method

# Locals and parameters have 15 registers, and the last parameter is wide: 12 + 3.
.method public lastWide(D)D
    .registers 15
    const-wide/high16 v10, 0x4000000000000000L
    mul-double/2addr p1, v10
    invoke-static {p1, p2}, Ljava/lang/Math;->sqrt(D)D
    move-result-wide p1
    return-wide p1
.end method

.method public static ofStatic(ILjava/lang/String;[J)I
    .registers 4
    invoke-virtual {p1}, Ljava/lang/String;->length()I
    move-result v0
    add-int/2addr v0, p0
    array-length p0, p2
    add-int/2addr v0, p0
    return v0
.end method

# A constructor moves this before it calls another constructor.
.method public constructor <init>(J)V
    .registers 3
    invoke-direct {p0}, Ljava/lang/Object;-><init>()V
    iput-wide p1, p0, LRegisters;->total:J
    return-void
.end method

# The most registers that a method may have: 254.
.method public static most(Ljava/lang/String;J)V
    .registers 254
    move-wide/from16 v0, p1
    move-object/from16 v2, p0
    invoke-virtual/range {p0 .. p0}, Ljava/lang/String;->length()I
    move-result v250
    return-void
.end method

# A method without probes, because it has more than 255 registers.
.method public static tooMany(I)I
    .registers 300
    move/16 v299, p0
    move/from16 v0, v299
    return v0
.end method
