import type { failures as english } from '../en/failures'
import { failureCodes } from './failure-codes'

/** Words about failures, in Vietnamese. */
export const failures: typeof english = {
  codes: failureCodes,
  sandboxStopped: {
    title: 'Sandbox chưa chạy',
    explanation: 'Gói này nằm trong sandbox tích hợp, và không có gì trả lời tại {{host}} khi sandbox đang dừng.',
    remedy: 'Hãy khởi động sandbox rồi thử lại.',
  },
  pendingGone: {
    title: 'Khóa đã dán không còn được giữ',
    explanation: 'Ứng dụng giữ khóa vừa dán trong 15 phút rồi quên đi.',
    remedy: 'Hãy sao chép lại khóa rồi dán vào.',
  },
  actions: {
    pasteKey: 'Dán lại khóa',
    chooseModel: 'Chọn mô hình khác',
    choosePlan: 'Chọn gói khác',
    setAddress: 'Sửa địa chỉ',
    tryAgain: 'Thử lại',
    showFile: 'Hiện tệp',
    moveComments: 'Giữ bản sao và tiếp tục',
    previewAgain: 'Hiện bản xem trước mới',
    recheckVault: 'Tìm lại',
    configure: 'Cấu hình lại',
    startSandbox: 'Khởi động sandbox',
    refresh: 'Làm mới danh sách',
    anotherPort: 'Khởi động ở cổng khác',
    chooseFile: 'Chọn tệp khác',
  },
  fields: {
    name: 'tên',
    gatewayUrl: 'địa chỉ gateway',
    models: 'các mã mô hình',
    modelCode: 'mã mô hình',
    contextTokens: 'cửa sổ ngữ cảnh',
    expiresAt: 'ngày hết hạn',
    key: 'khóa: khóa trống, hoặc có khoảng trắng hay ký tự mà không khóa nào có',
    other: 'một trong các giá trị',
  },
  fallback: {
    plan: 'gói',
    model: 'mô hình này',
    tool: 'công cụ',
    file: 'tệp',
    host: 'máy chủ',
    address: 'địa chỉ này',
  },
  where: {
    line: 'ở dòng {{line}}',
    unknown: 'ở một chỗ nào đó',
  },
  wait: {
    known: 'sau {{time}}',
    unknown: 'sau giây lát',
  },
  details: {
    status: 'Trạng thái',
    address: 'Địa chỉ yêu cầu',
    requestId: 'Mã yêu cầu',
    message: 'Thông báo',
    code: 'Mã lỗi',
  },
  check: {
    passed: 'Hoạt động tốt',
    passedKeyOnly: 'Khóa và gói đều ổn',
    noModel: 'Chưa biết mã mô hình nào nên chưa sinh nội dung: chỉ khóa và gói được xác nhận.',
    model: 'Mô hình',
    answer: 'Trả lời',
    took: 'Thời gian',
    tokens: 'Token',
    tokensInOut: '{{input}} vào, {{output}} ra',
    tokensUnknown: 'Gateway không cho biết',
    requestId: 'Mã yêu cầu',
    copyAddress: 'Sao chép địa chỉ yêu cầu',
  },
}
