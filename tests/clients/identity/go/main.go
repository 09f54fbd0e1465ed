// Gets tokens as programs do that were written for the hosted directory: nothing here knows Headland.
//
// The first argument names the case, standard input has its arguments as JSON; the answer is JSON, too.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
)

type arguments struct {
	Authority string
	Tenant    string
	ClientID  string `json:"client_id"`
	Secret    string `json:"client_secret"`
	Path      string
	Chain     bool
	Scopes    []string
}

type answer struct {
	Tokens  []string `json:"tokens"`
	Message string   `json:"message,omitempty"`
}

func main() {
	var given arguments
	check(json.NewDecoder(os.Stdin).Decode(&given))
	credential, err := credentialOf(os.Args[1], given)
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(tokens(credential, given.Scopes)))
}

func credentialOf(kind string, given arguments) (azcore.TokenCredential, error) {
	switch kind {
	case "default":
		return azidentity.NewDefaultAzureCredential(nil)
	case "environment":
		return azidentity.NewEnvironmentCredential(nil)
	}
	client := policy.ClientOptions{Cloud: cloud.Configuration{ActiveDirectoryAuthorityHost: given.Authority}}
	if kind == "client_secret" {
		options := &azidentity.ClientSecretCredentialOptions{ClientOptions: client, DisableInstanceDiscovery: true}
		return azidentity.NewClientSecretCredential(given.Tenant, given.ClientID, given.Secret, options)
	}
	pem, err := os.ReadFile(given.Path)
	check(err)
	certificates, key, err := azidentity.ParseCertificates(pem, nil)
	check(err)
	options := &azidentity.ClientCertificateCredentialOptions{
		ClientOptions:            client,
		DisableInstanceDiscovery: true,
		SendCertificateChain:     given.Chain,
	}
	return azidentity.NewClientCertificateCredential(given.Tenant, given.ClientID, certificates, key, options)
}

func tokens(credential azcore.TokenCredential, scopes []string) answer {
	found := answer{Tokens: []string{}}
	for _, scope := range scopes {
		token, err := credential.GetToken(context.Background(), policy.TokenRequestOptions{Scopes: []string{scope}})
		if err != nil {
			return answer{Tokens: []string{}, Message: err.Error()}
		}
		found.Tokens = append(found.Tokens, token.Token)
	}
	return found
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
