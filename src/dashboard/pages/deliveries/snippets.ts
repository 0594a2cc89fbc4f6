/** The request of an attempt. */
export interface SentRequest {
  /** The exact body. */
  body: string;
  /** `X-Service-Signature`. */
  signature: string;
}

interface Snippet {
  language: string;
  code: string;
}

/**
 * Programs that verify the signature of one delivery. They read the webhook's secret from WEBHOOK_SECRET and print `true`.
 * A receiver does the same with the raw body and the header.
 */
export const snippets = ({ body, signature }: SentRequest): Snippet[] => [
  {
    language: 'Shell',
    code: `body=${shell(body)}
signature=${shell(signature)}
expected="sha256=$(printf '%s' "$body" | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" | sed 's/^.* //')"
[ "$expected" = "$signature" ] && echo true || echo false
`,
  },
  {
    language: 'Node.js',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto';

const body = ${json(body)};
const signature = ${json(signature)};

const expected = 'sha256=' + createHmac('sha256', process.env.WEBHOOK_SECRET).update(body).digest('hex');
const [a, b] = [Buffer.from(expected), Buffer.from(signature)];
console.log(a.length === b.length && timingSafeEqual(a, b));
`,
  },
  {
    language: 'Python',
    code: `import hashlib, hmac, os

body = ${json(body)}
signature = ${json(signature)}

key = os.environ["WEBHOOK_SECRET"].encode()
expected = "sha256=" + hmac.new(key, body.encode(), hashlib.sha256).hexdigest()
print("true" if hmac.compare_digest(expected, signature) else "false")
`,
  },
  {
    language: 'PHP',
    code: `<?php
$body = ${single(body)};
$signature = ${single(signature)};

$expected = 'sha256=' . hash_hmac('sha256', $body, getenv('WEBHOOK_SECRET'));
echo hash_equals($expected, $signature) ? 'true' : 'false', PHP_EOL;
`,
  },
  {
    language: 'Ruby',
    code: `require 'openssl'

body = ${single(body)}
signature = ${single(signature)}

expected = 'sha256=' + OpenSSL::HMAC.hexdigest('SHA256', ENV['WEBHOOK_SECRET'], body)
puts OpenSSL.secure_compare(expected, signature)
`,
  },
  {
    language: 'Go',
    code: `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
)

func main() {
	body := ${json(body)}
	signature := ${json(signature)}

	mac := hmac.New(sha256.New, []byte(os.Getenv("WEBHOOK_SECRET")))
	mac.Write([]byte(body))
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	fmt.Println(hmac.Equal([]byte(expected), []byte(signature)))
}
`,
  },
];

/** JSON strings are valid in JavaScript, Python, and Go, except for some characters that only JSON allows unescaped. */
const json = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u007F\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** PHP and Ruby: only these two characters need escaping between single quotes. */
const single = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

const shell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
