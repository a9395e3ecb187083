/** The page with what was alerted. */
export const alertsPath = '/usage/alerts'

/** The part of the settings that says what is alerted. */
export const alertSettingsPath = '/settings?part=alerts'
