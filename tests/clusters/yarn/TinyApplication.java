import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * The smallest application that YARN takes for one: an application master that succeeds, fails, or stays until there is
 * a file. Its arguments say which; what Spark makes of YARN is for other tests.
 */
public final class TinyApplication {
    public static void main(String[] arguments) throws Exception {
        System.out.println("the drill is on the headland: " + String.join(" ", arguments));
        System.err.println("no spark flies");
        AMRMClient<AMRMClient.ContainerRequest> manager = AMRMClient.createAMRMClient();
        manager.init(new YarnConfiguration());
        manager.start();
        manager.registerApplicationMaster("127.0.0.1", 0, "");
        switch (arguments[0]) {
            case "succeed" -> manager.unregisterApplicationMaster(FinalApplicationStatus.SUCCEEDED, "", "");
            case "fail" -> manager.unregisterApplicationMaster(FinalApplicationStatus.FAILED, "out of seed", "");
            case "stay" -> stay(manager, arguments[1]);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.exit(0);
    }

    /** Leaves a line for the run, and shows itself to the resource manager, also to one that was away. */
    private static void stay(AMRMClient<AMRMClient.ContainerRequest> manager, String mark) throws Exception {
        Files.writeString(Path.of(mark), "run\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        while (!Files.exists(Path.of(mark + ".enough"))) {
            try {
                manager.allocate(0.5f);
            } catch (IOException | YarnException away) {
                System.err.println("not heard, to be said again: " + away);
            }
            Thread.sleep(100);
        }
        manager.unregisterApplicationMaster(FinalApplicationStatus.SUCCEEDED, "", "");
    }
}
