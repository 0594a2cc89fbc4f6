<?php

/** Whether these very bytes were signed with our secret. Equal or not, the comparison takes the same time. */
function isGenuine(string $body, string $signature): bool
{
    $expected = 'sha256=' . hash_hmac('sha256', $body, getenv('WEBHOOK_SECRET'));
    return hash_equals($expected, $signature);
}

$body = file_get_contents('php://input'); // raw: before anything parses it

if (!isGenuine($body, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '')) {
    http_response_code(401);
    exit;
}
$event = json_decode($body, true)['event'];
error_log("$event arrived"); // put it into a queue of yours, and answer
http_response_code(204);
