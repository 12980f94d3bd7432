package screens;

import org.junit.runners.model.FrameworkMethod;
import org.junit.runners.model.InitializationError;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.internal.bytecode.InstrumentationConfiguration;

/** Runs tests with Robolectric. The reference's classes exist once, outside of Robolectric's class loader. */
public final class Runner extends RobolectricTestRunner {
    public Runner(Class<?> test) throws InitializationError {
        super(test);
    }

    @Override
    protected InstrumentationConfiguration createClassLoaderConfig(FrameworkMethod method) {
        return new InstrumentationConfiguration.Builder(super.createClassLoaderConfig(method))
                .doNotAcquirePackage("reference.")
                .build();
    }
}
