require 'json'
require 'openssl'

SECRET = ENV.fetch('WEBHOOK_SECRET')

# Whether these very bytes were signed with our secret. Equal or not, the comparison takes the same time.
def genuine?(body, signature)
  expected = "sha256=#{OpenSSL::HMAC.hexdigest('SHA256', SECRET, body)}"
  OpenSSL.secure_compare(expected, signature)
end

# A Rack application: `run RECEIVER` in config.ru.
RECEIVER = lambda do |env|
  body = env['rack.input'].read # raw: before anything parses it
  next [401, {}, []] unless genuine?(body, env['HTTP_X_SERVICE_SIGNATURE'].to_s)

  warn "#{JSON.parse(body)['event']} arrived" # put it into a queue of yours, and answer
  [204, {}, []]
end
