import common from '../../src/renderer/locales/en/common.json' with { type: 'json' }

/** English labels of the window. Tests that only navigate use them, so that a changed label changes few tests. */
export const { labels } = common
