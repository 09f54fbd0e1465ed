import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;

/**
 * Hadoop's own mini cluster: a resource manager and a node manager, in one JVM, told by its standard input to
 * take the resource manager away, to bring it back, and to run tiny applications. Or, in a JVM of its own, a resource
 * manager in standby beside it.
 *
 * <p>Arguments: the folder of yarn-site.xml and core-site.xml, a folder to work in, the class path of applications, and
 * "standby" for that. Says "ready" once the node has registered, and answers each line it is told with "done"; ends
 * with its standard input.
 */
public final class MiniYarn {
    public static void main(String[] arguments) throws Exception {
        Path site = Path.of(arguments[0]);
        System.setProperty("test.build.data", arguments[1]);
        YarnConfiguration conf = new YarnConfiguration();
        for (String file : new String[] {"core-site.xml", "yarn-site.xml"}) {
            conf.addResource(Files.newInputStream(site.resolve(file)), file);
        }
        if (arguments.length > 3) {
            standby(conf);
            System.out.println("ready");
            System.in.transferTo(System.out);
            System.exit(0);
        }
        Cluster cluster = new Cluster();
        cluster.init(conf);
        cluster.start();
        if (!cluster.waitForNodeManagersToConnect(60_000)) {
            throw new IllegalStateException("the node manager has not registered");
        }
        System.out.println("ready");
        BufferedReader told = new BufferedReader(new InputStreamReader(System.in));
        for (String line = told.readLine(); line != null; line = told.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "stop" -> cluster.getResourceManager(0).stop();
                case "start" -> cluster.restartResourceManager(0);
                case "submit" -> submit(conf, site + ":" + arguments[2], words);
                default -> throw new IllegalArgumentException(line);
            }
            System.out.println("done");
        }
        // Containers are the node manager's children: it ends them when it is stopped.
        cluster.stop();
        System.exit(0);
    }

    /** Submit a tiny application; words: "submit", its tag, its arguments. */
    private static void submit(Configuration conf, String classPath, String[] words) throws Exception {
        String java = System.getProperty("java.home") + "/bin/java -Xmx128m -XX:TieredStopAtLevel=1 -cp '" + classPath;
        String application = String.join(" ", Arrays.asList(words).subList(2, words.length));
        String command = java + "' TinyApplication " + application + " 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr";
        try (YarnClient client = YarnClient.createYarnClient()) {
            client.init(conf);
            client.start();
            ApplicationSubmissionContext context = client.createApplication().getApplicationSubmissionContext();
            context.setApplicationName(words[1]);
            context.setApplicationTags(Set.of(words[1]));
            context.setMaxAppAttempts(1);
            context.setResource(Resource.newInstance(256, 1));
            context.setAMContainerSpec(ContainerLaunchContext.newInstance(
                    Map.of(), Map.of(), List.of(command), null, null, null));
            client.submitApplication(context);
        }
    }

    /** Start the second resource manager of a pair in which nobody makes it the active one. */
    private static void standby(Configuration site) {
        Configuration conf = new YarnConfiguration(site);
        conf.setBoolean(YarnConfiguration.RM_HA_ENABLED, true);
        conf.setBoolean(YarnConfiguration.AUTO_FAILOVER_ENABLED, false);
        conf.set(YarnConfiguration.RM_CLUSTER_ID, "headland");
        conf.set(YarnConfiguration.RM_HA_IDS, "active,standby");
        conf.set(YarnConfiguration.RM_HA_ID, "standby");
        for (String key : YarnConfiguration.getServiceAddressConfKeys(conf)) {
            String port = key.equals(YarnConfiguration.RM_WEBAPP_ADDRESS) ? site.get("headland.standby.port") : "0";
            conf.set(key + ".active", site.get(key, "127.0.0.1:0"));
            conf.set(key + ".standby", "127.0.0.1:" + port);
        }
        ResourceManager manager = new ResourceManager();
        manager.init(conf);
        manager.start();
    }

    private static final class Cluster extends MiniYARNCluster {
        Cluster() {
            super("headland", 1, 1, 1);
        }
    }
}
