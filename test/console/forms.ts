import assert from 'node:assert/strict'

/** The path and the fields of the form on a page whose path ends so. */
export function formIn(html: string, action: string): { path: string; fields: Record<string, string> } {
  const forms = [...html.matchAll(/<form[^>]*method="post" action="([^"]+)">(.*?)<\/form>/gs)]
  const [, path = '', body = ''] = forms.find(([, target]) => target?.endsWith(action)) ?? assert.fail(`no ${action}`)
  const inputs = [...body.matchAll(/name="([^"]+)" value="([^"]*)"/g)]
  return { path, fields: Object.fromEntries(inputs.map(([, name, value]) => [name, value])) }
}
