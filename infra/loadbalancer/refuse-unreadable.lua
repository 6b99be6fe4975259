-- Answers bytes that are no HTTP request, or no whole request in time, in the shape of the services' errors
-- (docs/errors.md). HAProxy's own answer is HTML, which no setting changes. Such bytes never reach a pod: a pod may read
-- them as a request that HAProxy did not see.
core.register_service('refuse-unreadable', 'tcp', function(applet)
  local now = core.now()
  local ms = now.sec * 1000 + now.usec // 1000
  local status, code, reason = '400 Bad Request', 'INVALID_REQUEST', 'This is not a valid HTTP request.'
  if ms >= applet:get_var('sess.late_at') then
    status, code, reason = '408 Request Timeout', 'REQUEST_TIMEOUT', 'The request took too long to arrive.'
  end
  local body = string.format('{"success":false,"error":"%s","code":"%s","timestamp":%d,"requestId":"%s"}',
    reason, code, ms, applet.f:uuid())
  applet:send('HTTP/1.1 ' .. status .. '\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\n' ..
    'content-length: ' .. #body .. '\r\n\r\n' .. body)
end)
