import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;

/**
 * Hadoop's own mini cluster: a resource manager and a node manager, in one JVM, told by its standard input to
 * take the resource manager away and to bring it back. Or, in a JVM of its own, a resource manager in standby beside it.
 *
 * <p>Arguments: the folder of yarn-site.xml and core-site.xml, a folder to work in, and "standby" for that. Says "ready" once the node
 * has registered, and answers each word it is told with "done"; ends with its standard input.
 */
public final class MiniYarn {
    public static void main(String[] arguments) throws Exception {
        Path site = Path.of(arguments[0]);
        System.setProperty("test.build.data", arguments[1]);
        YarnConfiguration conf = new YarnConfiguration();
        for (String file : new String[] {"core-site.xml", "yarn-site.xml"}) {
            conf.addResource(Files.newInputStream(site.resolve(file)), file);
        }
        if (arguments.length > 2) {
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
        for (String word = told.readLine(); word != null; word = told.readLine()) {
            switch (word) {
                case "stop" -> cluster.getResourceManager(0).stop();
                case "start" -> cluster.restartResourceManager(0);
                default -> throw new IllegalArgumentException(word);
            }
            System.out.println("done");
        }
        // Containers are the node manager's children: it ends them when it is stopped.
        cluster.stop();
        System.exit(0);
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
