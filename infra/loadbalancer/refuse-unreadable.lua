-- Answers bytes that are no HTTP request in the shape of the services' errors (docs/errors.md). HAProxy's own answer is
-- HTML, which no setting changes. Such bytes never reach a pod: a pod may read them as a request that HAProxy did not see.
core.register_service('refuse-unreadable', 'tcp', function(applet)
  local now = core.now()
  local body = string.format(
    '{"success":false,"error":"This is not a valid HTTP request, or it took too long to arrive.",' ..
      '"code":"INVALID_REQUEST","timestamp":%d,"requestId":"%s"}',
    now.sec * 1000 + now.usec // 1000, applet.f:uuid())
  applet:send('HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\n' ..
    'content-length: ' .. #body .. '\r\n\r\n' .. body)
end)
