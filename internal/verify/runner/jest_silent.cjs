module.exports = class {
  getLastError() {}
};
