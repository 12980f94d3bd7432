# LShapes;

.method static constructor <clinit>()V
    .registers 1

    .line 8
    const/16 v0, 0x8
    new-array v0, v0, [I
    fill-array-data v0, :data_4
    sput-object v0, LShapes;->TABLE:[I
    return-void

    :data_4
    .array-data 4
        0x1
        0x1
        0x2
        0x3
        0x5
        0x8
        0xd
        0x15
    .end array-data
.end method

.method constructor <init>()V
    .registers 2

    .line 7
    invoke-direct {p0}, Ljava/lang/Object;-><init>()V

    .line 10
    new-instance v0, Ljava/lang/Object;
    invoke-direct {v0}, Ljava/lang/Object;-><init>()V
    iput-object v0, p0, LShapes;->lock:Ljava/lang/Object;
    return-void
.end method

.method static fibonacci(I)I
    .registers 3

    .line 84
    const/4 v0, 0x2
    if-ge p0, v0, :l_5
    move v0, p0
    goto :l_12
    :l_5
    add-int/lit8 v0, p0, -0x1
    invoke-static {v0}, LShapes;->fibonacci(I)I
    move-result v0
    add-int/lit8 v1, p0, -0x2
    invoke-static {v1}, LShapes;->fibonacci(I)I
    move-result v1
    add-int/2addr v0, v1
    :l_12
    return v0
.end method

.method static guarded(Ljava/util/List;I)I
    .registers 5

    .line 67
    const-string v0, "finally"
    :try_2
    new-instance v1, Ljava/lang/StringBuilder;
    invoke-direct {v1}, Ljava/lang/StringBuilder;-><init>()V
    const-string v2, "try "
    invoke-virtual {v1, v2}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    move-result-object v1
    invoke-virtual {v1, p1}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    move-result-object v1
    invoke-virtual {v1}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v1
    invoke-interface {p0, v1}, Ljava/util/List;->add(Ljava/lang/Object;)Z

    .line 68
    if-eqz p1, :l_23

    .line 71
    add-int/lit8 v1, p1, -0x1
    const/16 v2, 0x64
    div-int/2addr v2, v1
    :try_end_0
    .catch Ljava/lang/IllegalStateException; {:try_2 .. :try_end_0} :l_3a
    .catch Ljava/lang/NullPointerException; {:try_2 .. :try_end_0} :l_38
    .catch Ljava/lang/ArithmeticException; {:try_2 .. :try_end_0} :l_2b
    .catchall {:try_2 .. :try_end_0} :l_48

    .line 78
    invoke-interface {p0, v0}, Ljava/util/List;->add(Ljava/lang/Object;)Z

    .line 71
    return v2

    .line 69
    :l_23
    :try_23
    new-instance v1, Ljava/lang/IllegalStateException;
    const-string v2, "zero"
    invoke-direct {v1, v2}, Ljava/lang/IllegalStateException;-><init>(Ljava/lang/String;)V
    throw v1
    :try_end_1
    .catch Ljava/lang/IllegalStateException; {:try_23 .. :try_end_1} :l_3a
    .catch Ljava/lang/NullPointerException; {:try_23 .. :try_end_1} :l_38
    .catch Ljava/lang/ArithmeticException; {:try_23 .. :try_end_1} :l_2b
    .catchall {:try_23 .. :try_end_1} :l_48

    .line 75
    :l_2b
    move-exception v1

    .line 76
    :try_2c
    const-string v2, "divided"
    invoke-interface {p0, v2}, Ljava/util/List;->add(Ljava/lang/Object;)Z
    :try_end_2
    .catchall {:try_2c .. :try_end_2} :l_48

    .line 78
    nop
    invoke-interface {p0, v0}, Ljava/util/List;->add(Ljava/lang/Object;)Z

    .line 79
    nop

    .line 80
    const/4 v0, -0x2
    return v0

    .line 72
    :l_38
    move-exception v1
    goto :l_3b
    :l_3a
    move-exception v1

    .line 73
    :l_3b
    :try_3b
    invoke-virtual {v1}, Ljava/lang/RuntimeException;->getMessage()Ljava/lang/String;
    move-result-object v2
    invoke-interface {p0, v2}, Ljava/util/List;->add(Ljava/lang/Object;)Z
    :try_end_3
    .catchall {:try_3b .. :try_end_3} :l_48

    .line 74
    nop

    .line 78
    invoke-interface {p0, v0}, Ljava/util/List;->add(Ljava/lang/Object;)Z

    .line 74
    const/4 v0, -0x1
    return v0

    .line 78
    :l_48
    move-exception v1
    invoke-interface {p0, v0}, Ljava/util/List;->add(Ljava/lang/Object;)Z

    .line 79
    throw v1
.end method

.method static lambda(Ljava/util/function/IntUnaryOperator;Ljava/util/concurrent/Callable;)I
    .registers 4

    .line 88
    const/4 v0, 0x3
    invoke-interface {p0, v0}, Ljava/util/function/IntUnaryOperator;->applyAsInt(I)I
    move-result v0
    invoke-interface {p1}, Ljava/util/concurrent/Callable;->call()Ljava/lang/Object;
    move-result-object v1
    check-cast v1, Ljava/lang/Integer;
    invoke-virtual {v1}, Ljava/lang/Integer;->intValue()I
    move-result v1
    add-int/2addr v0, v1
    return v0
.end method

.method private static synthetic lambda$main$0(II)I
    .registers 3

    .line 101
    add-int v0, p1, p0
    return v0
.end method

.method private static synthetic lambda$main$1()Ljava/lang/Integer;
    .registers 1

    .line 101
    const/4 v0, 0x4
    invoke-static {v0}, Ljava/lang/Integer;->valueOf(I)Ljava/lang/Integer;
    move-result-object v0
    return-object v0
.end method

.method public static main([Ljava/lang/String;)V
    .registers 21

    .line 92
    new-instance v0, Ljava/util/ArrayList;
    invoke-direct {v0}, Ljava/util/ArrayList;-><init>()V

    .line 93
    new-instance v1, LShapes;
    invoke-direct {v1}, LShapes;-><init>()V

    .line 94
    move-object/from16 v2, p0
    array-length v3, v2

    .line 95
    const/4 v4, -0x1
    :l_e
    const/4 v5, 0x5
    const-string v6, ""
    if-ge v4, v5, :l_46

    .line 96
    new-instance v5, Ljava/lang/StringBuilder;
    invoke-direct {v5}, Ljava/lang/StringBuilder;-><init>()V
    invoke-virtual {v5, v6}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    move-result-object v5
    invoke-static {v4}, LShapes;->packed(I)I
    move-result v6
    invoke-virtual {v5, v6}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    move-result-object v5
    invoke-static {v4}, LShapes;->sparse(I)I
    move-result v6
    invoke-virtual {v5, v6}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    move-result-object v5
    invoke-static {v0, v4}, LShapes;->guarded(Ljava/util/List;I)I
    move-result v6
    invoke-virtual {v5, v6}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    move-result-object v5
    invoke-virtual {v1, v4}, LShapes;->locked(I)I
    move-result v6
    invoke-virtual {v5, v6}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    move-result-object v5
    invoke-virtual {v5}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v5
    invoke-interface {v0, v5}, Ljava/util/List;->add(Ljava/lang/Object;)Z

    .line 95
    add-int/lit8 v4, v4, 0x1
    goto :l_e

    .line 98
    :l_46
    invoke-virtual {v1}, LShapes;->touch()V

    .line 99
    new-instance v4, Ljava/lang/StringBuilder;
    invoke-direct {v4}, Ljava/lang/StringBuilder;-><init>()V
    const-string v5, "alpha"
    invoke-static {v5}, LShapes;->text(Ljava/lang/String;)Ljava/lang/String;
    move-result-object v5
    invoke-virtual {v4, v5}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    move-result-object v4
    const-string v5, "gamma"
    invoke-static {v5}, LShapes;->text(Ljava/lang/String;)Ljava/lang/String;
    move-result-object v5
    invoke-virtual {v4, v5}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    move-result-object v4
    invoke-virtual {v4}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v4
    invoke-interface {v0, v4}, Ljava/util/List;->add(Ljava/lang/Object;)Z

    .line 100
    new-instance v4, Ljava/lang/StringBuilder;
    invoke-direct {v4}, Ljava/lang/StringBuilder;-><init>()V
    invoke-virtual {v4, v6}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    move-result-object v4
    const/16 v17, 0x6
    const-wide/16 v18, 0x7
    const-wide/16 v7, 0x1
    const/4 v9, 0x2
    const-wide/high16 v10, 0x400c000000000000L
    const-wide v12, 0x10000000000L
    const/high16 v14, 0x40880000
    const-wide/high16 v15, 0x4014000000000000L
    invoke-static/range {v7 .. v19}, LShapes;->wide(JIDJFDIJ)J
    move-result-wide v7
    invoke-virtual {v4, v7, v8}, Ljava/lang/StringBuilder;->append(J)Ljava/lang/StringBuilder;
    move-result-object v4
    invoke-virtual {v4}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v4
    invoke-interface {v0, v4}, Ljava/util/List;->add(Ljava/lang/Object;)Z

    .line 101
    new-instance v4, Ljava/lang/StringBuilder;
    invoke-direct {v4}, Ljava/lang/StringBuilder;-><init>()V
    invoke-virtual {v4, v6}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    move-result-object v4
    const/16 v5, 0xa
    invoke-static {v5}, LShapes;->fibonacci(I)I
    move-result v5
    invoke-virtual {v4, v5}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    move-result-object v4
    invoke-custom {v3}, call_site_0
    move-result-object v5
    invoke-custom {}, call_site_1
    move-result-object v6
    invoke-static {v5, v6}, LShapes;->lambda(Ljava/util/function/IntUnaryOperator;Ljava/util/concurrent/Callable;)I
    move-result v5
    invoke-virtual {v4, v5}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    move-result-object v4
    invoke-virtual {v4}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v4
    invoke-interface {v0, v4}, Ljava/util/List;->add(Ljava/lang/Object;)Z

    .line 102
    const/4 v4, 0x3
    new-array v4, v4, [Ljava/lang/Thread;

    .line 103
    const/4 v5, 0x0
    :l_c1
    array-length v6, v4
    if-ge v5, v6, :l_da

    .line 104
    new-instance v6, Ljava/lang/Thread;
    invoke-static {v1}, Ljava/util/Objects;->requireNonNull(Ljava/lang/Object;)Ljava/lang/Object;
    invoke-custom {v1}, call_site_2
    move-result-object v7
    invoke-direct {v6, v7}, Ljava/lang/Thread;-><init>(Ljava/lang/Runnable;)V
    aput-object v6, v4, v5

    .line 105
    aget-object v6, v4, v5
    invoke-virtual {v6}, Ljava/lang/Thread;->start()V

    .line 103
    add-int/lit8 v5, v5, 0x1
    goto :l_c1

    .line 107
    :l_da
    array-length v5, v4
    const/4 v6, 0x0
    :l_dc
    if-ge v6, v5, :l_e6
    aget-object v7, v4, v6

    .line 108
    invoke-virtual {v7}, Ljava/lang/Thread;->join()V

    .line 107
    add-int/lit8 v6, v6, 0x1
    goto :l_dc

    .line 110
    :l_e6
    sget-object v5, Ljava/lang/System;->out:Ljava/io/PrintStream;
    new-instance v6, Ljava/lang/StringBuilder;
    invoke-direct {v6}, Ljava/lang/StringBuilder;-><init>()V
    invoke-virtual {v6, v0}, Ljava/lang/StringBuilder;->append(Ljava/lang/Object;)Ljava/lang/StringBuilder;
    move-result-object v6
    const-string v7, " "
    invoke-virtual {v6, v7}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    move-result-object v6
    iget v7, v1, LShapes;->counter:I
    invoke-virtual {v6, v7}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    move-result-object v6
    invoke-virtual {v6}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v6
    invoke-virtual {v5, v6}, Ljava/io/PrintStream;->println(Ljava/lang/String;)V

    .line 111
    return-void
.end method

.method static packed(I)I
    .registers 2

    .line 14
    packed-switch p0, :data_0

    .line 18
    const/4 v0, -0x1
    return v0

    .line 17
    :l_5
    const/16 v0, 0x1e
    return v0

    .line 16
    :l_8
    const/16 v0, 0x14
    return v0

    .line 15
    :l_b
    const/16 v0, 0xa
    return v0

    :data_0
    .packed-switch 0x1
        :l_b
        :l_8
        :l_5
    .end packed-switch
.end method

.method static sparse(I)I
    .registers 2

    .line 23
    sparse-switch p0, :data_0

    .line 27
    const/4 v0, 0x0
    return v0

    .line 26
    :l_5
    const/4 v0, 0x3
    return v0

    .line 25
    :l_7
    const/4 v0, 0x2
    return v0

    .line 24
    :l_9
    const/4 v0, 0x1
    return v0

    :data_0
    .sparse-switch
        -0x3e8 -> :l_9
        0x7 -> :l_7
        0x100000 -> :l_5
    .end sparse-switch
.end method

.method static text(Ljava/lang/String;)Ljava/lang/String;
    .registers 4

    .line 32
    invoke-virtual {p0}, Ljava/lang/String;->hashCode()I
    move-result v0
    sparse-switch v0, :data_4
    goto :l_1c
    :l_8
    const-string v0, "alpha"
    invoke-virtual {p0, v0}, Ljava/lang/String;->equals(Ljava/lang/Object;)Z
    move-result v0
    if-eqz v0, :l_1c
    const/4 v0, 0x0
    goto :l_1d
    :l_12
    const-string v0, "beta"
    invoke-virtual {p0, v0}, Ljava/lang/String;->equals(Ljava/lang/Object;)Z
    move-result v0
    if-eqz v0, :l_1c
    const/4 v0, 0x1
    goto :l_1d
    :l_1c
    const/4 v0, -0x1
    :l_1d
    packed-switch v0, :data_1d

    .line 35
    new-instance v0, Ljava/lang/StringBuilder;
    invoke-direct {v0}, Ljava/lang/StringBuilder;-><init>()V
    invoke-virtual {v0, p0}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    move-result-object v0
    const-wide v1, 0x10000000000L
    invoke-virtual {v0, v1, v2}, Ljava/lang/StringBuilder;->append(J)Ljava/lang/StringBuilder;
    move-result-object v0
    invoke-virtual {v0}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v0
    return-object v0

    .line 34
    :l_37
    const-string v0, "second"
    return-object v0

    .line 33
    :l_3a
    const-string v0, "first"
    return-object v0

    :data_4
    .sparse-switch
        0x2e15f0 -> :l_12
        0x589b15e -> :l_8
    .end sparse-switch

    :data_1d
    .packed-switch 0x0
        :l_3a
        :l_37
    .end packed-switch
.end method

.method static wide(JIDJFDIJ)J
    .registers 24

    .line 56
    int-to-long v0, p2
    mul-long/2addr v0, p0
    mul-double v2, p3, p8
    double-to-long v2, v2
    add-long/2addr v0, v2
    const-wide/16 v2, 0x1
    or-long v2, p11, v2
    div-long v2, p5, v2
    sub-long/2addr v0, v2

    .line 57
    move/from16 v2, p7
    float-to-double v3, v2
    add-double/2addr v3, p3

    .line 58
    const/4 v5, 0x0
    :l_12
    move/from16 v6, p10
    if-ge v5, v6, :l_24

    .line 59
    int-to-long v7, v5
    const-wide/16 v9, 0x1f
    mul-long/2addr v7, v9
    add-long/2addr v0, v7

    .line 60
    const-wide/high16 v7, 0x3fe0000000000000L
    mul-double/2addr v7, v3
    long-to-double v9, v0
    add-double v3, v7, v9

    .line 58
    add-int/lit8 v5, v5, 0x1
    goto :l_12

    .line 62
    :l_24
    invoke-static {v3, v4}, Ljava/lang/Double;->doubleToLongBits(D)J
    move-result-wide v7
    xor-long/2addr v7, v0
    return-wide v7
.end method

.method locked(I)I
    .registers 7

    .line 40
    iget-object v0, p0, LShapes;->lock:Ljava/lang/Object;
    monitor-enter v0

    .line 41
    const/4 v1, 0x0
    :l_4
    if-ge v1, p1, :l_1a

    .line 42
    :try_6
    rem-int/lit8 v2, v1, 0x3
    const/4 v3, 0x2
    if-ne v2, v3, :l_c

    .line 43
    goto :l_17

    .line 45
    :l_c
    iget v2, p0, LShapes;->counter:I
    sget-object v3, LShapes;->TABLE:[I
    and-int/lit8 v4, v1, 0x7
    aget v3, v3, v4
    add-int/2addr v2, v3
    iput v2, p0, LShapes;->counter:I

    .line 41
    :l_17
    add-int/lit8 v1, v1, 0x1
    goto :l_4

    .line 47
    :l_1a
    iget v1, p0, LShapes;->counter:I
    monitor-exit v0
    return v1

    .line 48
    :l_1e
    monitor-exit v0
    :try_end_0
    .catchall {:try_6 .. :try_end_0} :l_20
    throw v1
    :l_20
    move-exception v1
    goto :l_1e
.end method

.method declared-synchronized touch()V
    .registers 2
    monitor-enter p0

    .line 52
    :try_1
    iget v0, p0, LShapes;->counter:I
    add-int/lit8 v0, v0, 0x1
    iput v0, p0, LShapes;->counter:I
    :try_end_0
    .catchall {:try_1 .. :try_end_0} :l_b

    .line 53
    monitor-exit p0
    return-void

    .line 51
    :l_9
    :try_9
    monitor-exit p0
    :try_end_1
    .catchall {:try_9 .. :try_end_1} :l_b
    throw v0
    :l_b
    move-exception v0
    goto :l_9
.end method

