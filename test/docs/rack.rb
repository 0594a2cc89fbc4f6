# As much of a Rack server as the guide's receiver needs: Debian's Ruby comes without one.
require 'socket'
require 'stringio'
require ARGV.fetch(0)

server = TCPServer.new('127.0.0.1', Integer(ENV.fetch('PORT')))
loop do
  client = server.accept
  client.gets
  env = {}
  while (line = client.gets.chomp) != ''
    name, value = line.split(': ', 2)
    env["HTTP_#{name.upcase.tr('-', '_')}"] = value
  end
  env['rack.input'] = StringIO.new(client.read(Integer(env.fetch('HTTP_CONTENT_LENGTH'))))
  status, = RECEIVER.call(env)
  client.write("HTTP/1.1 #{status} \r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
  client.close
end
