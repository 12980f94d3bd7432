package outline

import "strings"

// UsualTypes maps names of properties to their types, and names of functions to their result types.
// It has a name only if the type is the same in nearly all Java and Kotlin library classes with
// such a member. Names of functions end with parentheses.
var UsualTypes = func() map[string]string {
	m := map[string]string{}
	for typ, members := range map[string]string{
		"int": `size length lastIndex ordinal hashCode() size() length() ordinal() indexOf() lastIndexOf() compareTo() count()
			toInt() intValue() position() remaining() limit() capacity() bitCount() available() nextInt() parseInt() readInt()
			getWidth() getHeight() identityHashCode() incrementAndGet() decrementAndGet() getAndIncrement()`,
		"long": "toLong() longValue() nanoTime() currentTimeMillis() elapsedRealtime() uptimeMillis() nextLong() parseLong() readLong()",
		"byte": "toByte() byteValue() readByte()", "short": "toShort() shortValue() readShort()", "float": "toFloat() floatValue() nextFloat() parseFloat()",
		"double": "toDouble() doubleValue() nextDouble() parseDouble()", "char": "toChar() charValue() charAt()",
		"boolean": `isEmpty() isNotEmpty() contains() containsKey() equals() startsWith() endsWith() hasNext() exists() isBlank()
			isNotBlank() isNullOrEmpty() booleanValue() parseBoolean() compareAndSet()`,
		"java.lang.String": `toString() trim() substring() trimIndent() trimMargin() joinToString() toLowerCase() toUpperCase() lowercase()
			uppercase() substringBefore() substringAfter() substringAfterLast() substringBeforeLast() removePrefix() removeSuffix()
			getSimpleName() simpleName padStart() padEnd() absolutePath getAbsolutePath() getString() format()`,
		"byte[]": "toByteArray() getBytes()", "char[]": "toCharArray()", "int[]": "toIntArray()", "long[]": "toLongArray()",
		"java.lang.Class":    "getClass() javaClass java",
		"java.util.Iterator": "iterator()",
		"java.util.List":     "toList() toMutableList() split()", "java.util.Set": "keySet() keys entries entrySet() toSet() toMutableSet()",
	} {
		for member := range strings.FieldsSeq(members) {
			m[member] = typ
		}
	}
	return m
}()
