// Runs batches with the Spark calls of HDInsight's job client, as Microsoft's SDK for Go has it, and prints
// what the client made of the answers.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/Azure/azure-sdk-for-go/services/preview/hdinsight/2018-11-01-preview/hdinsight"
	"github.com/Azure/go-autorest/autorest"
	"github.com/Azure/go-autorest/autorest/adal"
)

// What the test asks for.
type task struct {
	// Host and port of the public base; the client puts https:// before it and /livy behind it.
	Endpoint     string
	TenantID     string
	ClientID     string
	ClientSecret string
	File         string
	Arguments    []string
	// Delete the batch when this line is in its log, instead of waiting for its end.
	KillAt string
}

// What the client saw.
type account struct {
	Status   int
	ID       int32
	Listed   bool
	AppID    *string
	Info     map[string]*string
	States   []hdinsight.JobState
	Failures int
	Lines    []string
	Total    int64
	Beyond   []string
	Deleted  string
	After    string
}

func main() {
	var asked task
	must(json.Unmarshal([]byte(os.Args[1]), &asked))
	json.NewEncoder(os.Stdout).Encode(run(context.Background(), asked))
}

func run(ctx context.Context, asked task) (told account) {
	client := hdinsight.NewJobClient(asked.Endpoint, asked.ClientID)
	client.Authorizer = authorizer(asked)
	// The client tries again by itself, by default after half a minute.
	client.RetryDuration = 500 * time.Millisecond
	client.RetryAttempts = 20
	client.Sender = autorest.SenderFunc(func(request *http.Request) (*http.Response, error) {
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			fmt.Fprintln(os.Stderr, "failed:", err)
			told.Failures++
		}
		return answer, err
	})
	driverMemory, one := "512m", int32(1)
	submitted, err := client.SubmitSparkBatchJob(ctx, hdinsight.SparkBatchJobRequest{
		File: &asked.File, Arguments: &asked.Arguments, DriverMemory: &driverMemory, ExecutorCount: &one,
	}, asked.ClientID)
	must(err)
	told.Status, told.ID, told.Info = submitted.StatusCode, *submitted.ID, submitted.AppInfo

	none, all := int32(0), int32(-1)
	listed, err := client.ListSparkBatchJob(ctx, &none, nil)
	must(err)
	for _, each := range *listed.Sessions {
		told.Listed = told.Listed || *each.ID == told.ID
	}

	final := map[hdinsight.JobState]bool{
		hdinsight.Success: true, hdinsight.Dead: true, hdinsight.Killed: true, hdinsight.Error: true,
	}
	for state := submitted.State; ; time.Sleep(200 * time.Millisecond) {
		if count := len(told.States); count == 0 || told.States[count-1] != state {
			told.States = append(told.States, state)
			fmt.Fprintln(os.Stderr, "state:", state)
		}
		if final[state] || asked.KillAt != "" && state == hdinsight.Running && logged(ctx, client, told.ID, asked.KillAt) {
			break
		}
		found, err := client.GetSparkBatchState(ctx, told.ID)
		must(err)
		state = found.State
	}

	found, err := client.GetSparkBatchJob(ctx, told.ID)
	must(err)
	told.AppID = found.AppID
	log, err := client.GetSparkBatchLog(ctx, told.ID, &none, &all)
	must(err)
	told.Lines, told.Total = *log.LogLines, *log.Total
	beyond := int32(told.Total + 1000)
	log, err = client.GetSparkBatchLog(ctx, told.ID, &beyond, nil)
	must(err)
	told.Beyond = *log.LogLines

	deleted, err := client.DeleteSparkBatch(ctx, told.ID, asked.ClientID)
	must(err)
	told.Deleted = *deleted.DeletedMessage
	if _, err = client.GetSparkBatchJob(ctx, told.ID); err != nil {
		told.After = err.Error()
	}
	return told
}

func logged(ctx context.Context, client hdinsight.JobClient, batch int32, line string) bool {
	log, err := client.GetSparkBatchLog(ctx, batch, nil, nil)
	must(err)
	for _, each := range *log.LogLines {
		if each == line {
			return true
		}
	}
	return false
}

// A token of the v1 endpoint, which is the one that this SDK knows.
func authorizer(asked task) autorest.Authorizer {
	authority, err := adal.NewOAuthConfig("https://"+asked.Endpoint, asked.TenantID)
	must(err)
	token, err := adal.NewServicePrincipalToken(
		*authority, asked.ClientID, asked.ClientSecret, "https://hilo.azurehdinsight.net")
	must(err)
	return autorest.NewBearerAuthorizer(token)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
