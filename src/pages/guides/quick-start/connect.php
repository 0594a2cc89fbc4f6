<?php

const KONTOR = '__ORIGIN__';

function post(string $path, array $body): array
{
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => ['Authorization: Bearer ' . getenv('TOKEN'), 'Content-Type: application/json'],
        'content' => json_encode($body),
    ]]);
    $response = file_get_contents(KONTOR . "/api/v1$path", false, $context);
    if ($response === false) throw new RuntimeException("$path was refused"); // the status isn't 2xx
    return json_decode($response, true)['data'];
}
