{{ config(materialized="view") }}
SELECT furrow FROM {{ ref("fields") }}
