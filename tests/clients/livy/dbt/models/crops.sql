{{ config(materialized="view") }}
SELECT crop, sum(hectares) AS hectares FROM {{ ref("fields") }} GROUP BY crop
