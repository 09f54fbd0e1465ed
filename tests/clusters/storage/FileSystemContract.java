import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractContractAppendTest;
import org.apache.hadoop.fs.contract.AbstractContractContentSummaryTest;
import org.apache.hadoop.fs.contract.AbstractContractCopyFromLocalTest;
import org.apache.hadoop.fs.contract.AbstractContractCreateTest;
import org.apache.hadoop.fs.contract.AbstractContractDeleteTest;
import org.apache.hadoop.fs.contract.AbstractContractEtagTest;
import org.apache.hadoop.fs.contract.AbstractContractGetFileStatusTest;
import org.apache.hadoop.fs.contract.AbstractContractMkdirTest;
import org.apache.hadoop.fs.contract.AbstractContractOpenTest;
import org.apache.hadoop.fs.contract.AbstractContractRenameTest;
import org.apache.hadoop.fs.contract.AbstractContractRootDirectoryTest;
import org.apache.hadoop.fs.contract.AbstractContractSeekTest;
import org.apache.hadoop.fs.contract.AbstractContractVectoredReadTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Hadoop's own contract tests, for the file system that a JVM's properties describe: {@code contract.url} is where,
 * {@code contract.options} names the XML file that says what it can, {@code contract.conf} the one that configures it.
 */
final class FileSystemContract extends AbstractFSContract {
  private FileSystemContract(Configuration conf) {
    super(conf);
    conf.addResource(new Path("file://" + System.getProperty("contract.options")));
    conf.addResource(new Path("file://" + System.getProperty("contract.conf")));
  }

  @Override
  public FileSystem getTestFileSystem() throws java.io.IOException {
    return getTestPath().getFileSystem(getConf());
  }

  @Override
  public String getScheme() {
    return getTestPath().toUri().getScheme();
  }

  @Override
  public Path getTestPath() {
    return new Path(System.getProperty("contract.url"));
  }

  static class Append extends AbstractContractAppendTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new FileSystemContract(conf);
    }
  }

  static class ContentSummary extends AbstractContractContentSummaryTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new FileSystemContract(conf);
    }
  }

  static class CopyFromLocal extends AbstractContractCopyFromLocalTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new FileSystemContract(conf);
    }
  }

  static class Create extends AbstractContractCreateTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new FileSystemContract(conf);
    }
  }

  static class Delete extends AbstractContractDeleteTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new FileSystemContract(conf);
    }
  }

  static class Etag extends AbstractContractEtagTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new FileSystemContract(conf);
    }
  }

  static class GetFileStatus extends AbstractContractGetFileStatusTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new FileSystemContract(conf);
    }
  }

  static class Mkdir extends AbstractContractMkdirTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new FileSystemContract(conf);
    }
  }

  static class Open extends AbstractContractOpenTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new FileSystemContract(conf);
    }
  }

  static class Rename extends AbstractContractRenameTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new FileSystemContract(conf);
    }
  }

  static class RootDirectory extends AbstractContractRootDirectoryTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new FileSystemContract(conf);
    }
  }

  static class Seek extends AbstractContractSeekTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new FileSystemContract(conf);
    }
  }

  @ParameterizedClass(name = "buffer-{0}")
  @MethodSource("params")
  static class VectoredRead extends AbstractContractVectoredReadTest {
    VectoredRead(String bufferType) {
      super(bufferType);
    }

    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new FileSystemContract(conf);
    }
  }
}
