import com.azure.core.credential.TokenRequestContext;
import com.azure.identity.DefaultAzureCredentialBuilder;
import com.azure.identity.ManagedIdentityCredentialBuilder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Calls each address of its arguments as whoever submitted the job: nothing here knows Headland but its variables. */
public final class Calls {
    public static void main(String[] arguments) throws Exception {
        TokenRequestContext farm = new TokenRequestContext().addScopes("https://farmbeats.azure.net/.default");
        String token = new DefaultAzureCredentialBuilder().build().getTokenSync(farm).getToken();
        System.out.println("token " + token);
        String same = new ManagedIdentityCredentialBuilder().build().getTokenSync(farm).getToken();
        HttpClient client = HttpClient.newHttpClient();
        for (String path : arguments) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(System.getenv("HEADLAND_URL") + path))
                .header("Authorization", "Bearer " + same).build();
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            System.out.println("called " + path + " " + answer.statusCode() + " " + answer.body());
        }
    }
}
