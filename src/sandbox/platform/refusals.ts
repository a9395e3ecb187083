import { Refused } from '../http/refused'

const refuse =
  (status: number, code: string) =>
  (message: string): Refused =>
    new Refused({ status, code, message })

/** 400: a value is outside the spec's limits; the message names the field. */
export const invalidInput = refuse(400, 'INVALID_INPUT')
/** 400: a name breaks its rule (spec, "Limits"). */
export const invalidName = refuse(400, 'INVALID_NAME')
/** 401: no IAM token, or one that is expired or wrong (spec, "Errors", B). */
export const unauthorized = (message: string): Refused =>
  new Refused({ status: 401, code: 'UNAUTHORIZED', message, headers: { 'www-authenticate': 'Bearer realm="sandbox"' } })
/** 403: the account's role may not do this (spec, "Roles"). */
export const roleNotAllowed = refuse(403, 'ROLE_NOT_ALLOWED')
/** 404. */
export const notFound = refuse(404, 'NOT_FOUND')

/** 409: the state of things does not allow it. */
export const conflict = (code: string, message: string): Refused => new Refused({ status: 409, code, message })
