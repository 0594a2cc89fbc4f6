-- What load.ts has wrk do: send the requests of a file, each in turn, and print what was measured as a line of JSON.

-- Separated by NUL: the requests as HTTP/1.1 has them.
local requests = {}
for text in io.open(os.getenv('REQUESTS'), 'rb'):read('*a'):gmatch('%Z+') do
  requests[#requests + 1] = text
end

local sent = 0
function request()
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]
end

-- Random, so that connections don't send at the same time.
local pause = tonumber(os.getenv('PAUSE'))
if pause > 0 then
  function delay()
    return pause * 2 * math.random()
  end
end

-- A thread for each port.
local ports = os.getenv('PORTS'):gmatch('%d+')
function setup(thread)
  thread.addr = wrk.lookup('127.0.0.1', ports())[1]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format(
    '{"seconds":%f,"requests":%d,"failed":%d,"medianMs":%f,"p99Ms":%f,"worstMs":%f}',
    summary.duration / 1e6, summary.requests, failed,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000
  ))
end
