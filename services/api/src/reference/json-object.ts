export type JSONObject = Record<string, unknown>
