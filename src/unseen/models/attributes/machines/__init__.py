"""What models of attributes are made of: classifiers of many attributes, forests, trees and regressions."""
