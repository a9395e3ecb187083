/** The page with all keys and their holders. */
export const registerPath = '/register'

/** The same page with the dialog for an acknowledgement code open. */
export const enterCodePath = '/register?code=1'

/** The tab with the rotations. */
export const rotationsPath = '/register/rotations'

/** The tab with the audit trail. */
export const auditPath = '/register/audit'
